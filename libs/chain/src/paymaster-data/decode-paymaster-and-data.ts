import { byteLength, isHexBytes, type Address, type EntryPointVersion, type Hex } from '@paymaster/domain';
import { assertSponsorFields } from './assert-sponsor-fields';
import { SPONSOR_DATA_BYTES, SPONSORSHIP_MODE, type SponsorFields } from './sponsor-fields';

const ADDRESS_BYTES = 20;
const LIMIT_BYTES = 16;

/** `paymasterAndData` of sponsorship mode, taken apart. */
export interface DecodedPaymasterAndData {
  readonly paymaster: Address;
  /** Gas; zero on v0.6. */
  readonly paymasterVerificationGasLimit: bigint;
  /** Gas; zero on v0.6. */
  readonly paymasterPostOpGasLimit: bigint;
  readonly sponsorFields: SponsorFields;
  /** 65 bytes. */
  readonly signature: Hex;
}

/**
 * The reverse of `encodePaymasterAndData` and `encodeSponsorData`, as strict as the contract: exact length,
 * known mode, values in range.
 *
 * @throws {RangeError} saying what is not as the layout demands
 */
export function decodePaymasterAndData(version: EntryPointVersion, paymasterAndData: Hex): DecodedPaymasterAndData {
  const prefixBytes = version === '0.6' ? ADDRESS_BYTES : ADDRESS_BYTES + 2 * LIMIT_BYTES;
  const expected = prefixBytes + SPONSOR_DATA_BYTES;
  if (!isHexBytes(paymasterAndData) || byteLength(paymasterAndData) !== expected)
    throw new RangeError(`paymasterAndData is not ${expected} bytes of hexadecimal`);

  let offset = 2;
  const take = (bytes: number): Hex => {
    const start = offset;
    offset += bytes * 2;
    return `0x${paymasterAndData.slice(start, offset).toLowerCase()}`;
  };

  const paymaster = take(ADDRESS_BYTES);
  const paymasterVerificationGasLimit = version === '0.6' ? 0n : BigInt(take(LIMIT_BYTES));
  const paymasterPostOpGasLimit = version === '0.6' ? 0n : BigInt(take(LIMIT_BYTES));
  const mode = Number(take(1));
  if (mode !== SPONSORSHIP_MODE) throw new RangeError(`mode ${mode} is not sponsorship`);
  const sponsorFields: SponsorFields = {
    validUntilSeconds: Number(take(6)),
    validAfterSeconds: Number(take(6)),
    fundingWallet: take(ADDRESS_BYTES),
    feeMarkupMillionths: BigInt(take(4)),
    unaccountedGas: BigInt(take(4)),
  };
  assertSponsorFields(sponsorFields);
  return {
    paymaster,
    paymasterVerificationGasLimit,
    paymasterPostOpGasLimit,
    sponsorFields,
    signature: take(65),
  };
}
