import type { Address } from '@paymaster/domain';

/** `mode` byte of sponsorship; 0x02 is token mode. Anything else is refused on chain. */
export const SPONSORSHIP_MODE = 1;

/** Bytes of an ECDSA signature `r ++ s ++ v`. */
export const SIGNATURE_BYTES = 65;

/** Bytes of `paymasterData` in sponsorship mode, signature included. */
export const SPONSOR_DATA_BYTES = 106;

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
