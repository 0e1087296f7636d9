import { isAddress, ZERO_ADDRESS, type Address } from '@paymaster/domain';

/** `mode` byte of sponsorship; 0x02 is token mode. Anything else is refused on chain. */
export const SPONSORSHIP_MODE = 1;

/** Bytes of an ECDSA signature `r ++ s ++ v`. */
export const SIGNATURE_BYTES = 65;

/** Bytes of `paymasterData` in sponsorship mode, signature included. */
export const SPONSOR_DATA_BYTES = 106;

/** `validUntil` has 48 bits on the wire, but bit 47 is a flag in EntryPoints after v0.8. */
const VALID_UNTIL_END = 2 ** 47;
const MIN_FEE_MARKUP = 1_000_000n;
const MAX_FEE_MARKUP = 2_000_000n;
const UINT32_END = 1n << 32n;

/** The signed fields of `paymasterData` in sponsorship mode (docs/architecture/paymaster-data.md). */
export interface SponsorFields {
  /** Unix seconds; `0 < validUntil < 2^47`. */
  readonly validUntilSeconds: number;
  /** Unix seconds; before `validUntilSeconds`. */
  readonly validAfterSeconds: number;
  /** Its gas deposit is debited; never the zero address. */
  readonly fundingWallet: Address;
  /** `1_000_000` charges exactly the cost; at most `2_000_000`. */
  readonly feeMarkupMillionths: bigint;
  /** The most gas that the EntryPoint may take after it measured `actualGasCost`; fits 32 bits. */
  readonly unaccountedGas: bigint;
}

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
