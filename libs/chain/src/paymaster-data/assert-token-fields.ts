import { byteLength, isAddress, isHexBytes, ZERO_ADDRESS } from '@paymaster/domain';
import { assertSponsorFields } from './assert-sponsor-fields';
import { SIGNATURE_BYTES } from './sponsor-fields';
import { WAY_BYTE, type TokenFields, type TokenPermit } from './token-fields';

const MIN_PREMIUM = 1_000_000n;
const MAX_PREMIUM = 2_000_000n;
const UINT192_END = 1n << 192n;
const UINT256_END = 1n << 256n;

/**
 * Refuses fields of token mode that the contract would revert on, before a key signs them.
 *
 * @throws {RangeError} naming the field: these values are the platform's own, so a bad one is our fault
 */
export function assertTokenFields(fields: TokenFields): void {
  assertSponsorFields(fields);
  const { exchangeRate, premiumMillionths, maxTokenChargeBaseUnits } = fields;
  if (!Object.hasOwn(WAY_BYTE, fields.way)) throw new RangeError(`way ${fields.way} is unknown`);
  for (const name of ['token', 'feeReceiver'] as const) {
    if (!isAddress(fields[name]) || fields[name] === ZERO_ADDRESS)
      throw new RangeError(`${name} is not an address other than zero`);
  }
  if (exchangeRate <= 0n || exchangeRate >= UINT192_END)
    throw new RangeError(`exchangeRate ${exchangeRate} is not between 1 and 2^192 - 1`);
  if (premiumMillionths < MIN_PREMIUM || premiumMillionths > MAX_PREMIUM)
    throw new RangeError(`premium ${premiumMillionths} is not between ${MIN_PREMIUM} and ${MAX_PREMIUM}`);
  if (maxTokenChargeBaseUnits <= 0n || maxTokenChargeBaseUnits >= UINT192_END)
    throw new RangeError(`maxTokenCharge ${maxTokenChargeBaseUnits} is not between 1 and 2^192 - 1`);
  if (fields.way !== 'permit' && fields.permit) throw new RangeError(`permit does not belong to way ${fields.way}`);
  if (fields.way === 'permit') assertPermit(fields.permit);
}

function assertPermit(permit: TokenPermit | undefined): void {
  if (!permit) throw new RangeError('permit is missing');
  const { valueBaseUnits, deadlineSeconds, signature } = permit;
  if (valueBaseUnits < 0n || valueBaseUnits >= UINT256_END) throw new RangeError('permit.value does not fit 256 bits');
  if (deadlineSeconds < 0n || deadlineSeconds >= UINT256_END)
    throw new RangeError('permit.deadline does not fit 256 bits');
  if (!isHexBytes(signature) || byteLength(signature) !== SIGNATURE_BYTES)
    throw new RangeError(`permit.signature is not ${SIGNATURE_BYTES} bytes of hexadecimal`);
}
