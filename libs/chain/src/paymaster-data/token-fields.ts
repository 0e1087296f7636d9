import type { Address, ChargingWay, Hex } from '@paymaster/domain';
import { SPONSOR_DATA_BYTES, type SponsorFields } from './sponsor-fields';

/** `mode` byte of token mode. */
export const TOKEN_MODE = 2;

/** Bytes of `paymasterData` in token mode, signature included, for the ways without a permit. */
export const TOKEN_DATA_BYTES = 199;

/** Bytes of a permit in `paymasterData`: value, deadline, r, s, v. */
export const PERMIT_BYTES = 129;

/** The `way` byte of each way to charge. */
export const WAY_BYTE: Readonly<Record<ChargingWay, number>> = { allowance: 1, permit: 2, batchApproval: 3 };

/** An EIP-2612 permit of the sender for the paymaster, as the token's `permit` takes it. */
export interface TokenPermit {
  readonly valueBaseUnits: bigint;
  /** Unix seconds; wallets write up to 2^256 - 1. */
  readonly deadlineSeconds: bigint;
  /** 65 bytes `r ++ s ++ v`. */
  readonly signature: Hex;
}

/** The signed fields of `paymasterData` in token mode (docs/architecture/paymaster-data.md). */
export interface TokenFields extends SponsorFields {
  readonly way: ChargingWay;
  /** Never the zero address. */
  readonly token: Address;
  /** Token base units per 1e18 wei, above zero, without the premium; fits 192 bits. */
  readonly exchangeRate: bigint;
  /** As signed: `1_000_000` for no premium, at most `2_000_000`. */
  readonly premiumMillionths: bigint;
  /** The receiver of the sender's tokens; never the zero address. */
  readonly feeReceiver: Address;
  /** The most the sender pays, above zero; token base units, fits 192 bits. */
  readonly maxTokenChargeBaseUnits: bigint;
  /** Only with way `permit`. */
  readonly permit?: TokenPermit;
}

/** Whether these are the fields of token mode: only those have a `way`. */
export function isTokenFields(fields: SponsorFields | TokenFields): fields is TokenFields {
  return 'way' in fields;
}

/** Bytes of `paymasterData`, signature included; without a way, of sponsorship mode. */
export function paymasterDataBytes(way?: ChargingWay): number {
  if (!way) return SPONSOR_DATA_BYTES;
  return way === 'permit' ? TOKEN_DATA_BYTES + PERMIT_BYTES : TOKEN_DATA_BYTES;
}
