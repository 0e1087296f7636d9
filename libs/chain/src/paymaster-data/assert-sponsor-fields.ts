import { isAddress, ZERO_ADDRESS } from '@paymaster/domain';
import type { SponsorFields } from './sponsor-fields';

/** `validUntil` has 48 bits on the wire, but bit 47 is a flag in EntryPoints after v0.8. */
const VALID_UNTIL_END = 2 ** 47;
const MIN_FEE_MARKUP = 1_000_000n;
const MAX_FEE_MARKUP = 2_000_000n;
const UINT32_END = 1n << 32n;

/**
 * Refuses fields that the contract would revert on, before a key signs them.
 *
 * @throws {RangeError} naming the field: these values are the platform's own, so a bad one is our fault
 */
export function assertSponsorFields(fields: SponsorFields): void {
  const { validUntilSeconds, validAfterSeconds, feeMarkupMillionths, unaccountedGas } = fields;
  if (!Number.isSafeInteger(validUntilSeconds) || validUntilSeconds <= 0 || validUntilSeconds >= VALID_UNTIL_END)
    throw new RangeError(`validUntil ${validUntilSeconds} is not a time between 1 and 2^47 - 1`);
  if (!Number.isSafeInteger(validAfterSeconds) || validAfterSeconds < 0 || validAfterSeconds >= validUntilSeconds)
    throw new RangeError(`validAfter ${validAfterSeconds} is not a time before validUntil ${validUntilSeconds}`);
  if (!isAddress(fields.fundingWallet) || fields.fundingWallet === ZERO_ADDRESS)
    throw new RangeError('fundingWallet is not an address other than zero');
  if (feeMarkupMillionths < MIN_FEE_MARKUP || feeMarkupMillionths > MAX_FEE_MARKUP)
    throw new RangeError(`feeMarkup ${feeMarkupMillionths} is not between ${MIN_FEE_MARKUP} and ${MAX_FEE_MARKUP}`);
  if (unaccountedGas < 0n || unaccountedGas >= UINT32_END)
    throw new RangeError(`unaccountedGas ${unaccountedGas} does not fit 32 bits`);
}
