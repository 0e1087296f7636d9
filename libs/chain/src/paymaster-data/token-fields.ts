import {
  byteLength,
  CHARGING_WAYS,
  isAddress,
  isHexBytes,
  ZERO_ADDRESS,
  type Address,
  type ChargingWay,
  type Hex,
} from '@paymaster/domain';
import { assertSponsorFields, SIGNATURE_BYTES, SPONSOR_DATA_BYTES, type SponsorFields } from './sponsor-fields';

/** `mode` byte of token mode. */
export const TOKEN_MODE = 2;

/** Bytes of `paymasterData` in token mode, signature included, for the ways without a permit. */
export const TOKEN_DATA_BYTES = 199;

/** Bytes of a permit in `paymasterData`: value, deadline, r, s, v. */
export const PERMIT_BYTES = 129;

/** The number of each way to charge: the low half of the `way` byte. */
export const WAY_BYTE: Readonly<Record<ChargingWay, number>> = { allowance: 1, permit: 2, batchApproval: 3 };

/**
 * How far a signature can raise the contract's gas constants of token mode, in percent of what was measured: the high
 * half of the `way` byte counts the steps.
 */
export const TOKEN_GAS_PERCENT = { least: 100, most: 475, step: 25 } as const;

const MIN_PREMIUM = 1_000_000n;
const MAX_PREMIUM = 2_000_000n;
const UINT192_END = 1n << 192n;
const UINT256_END = 1n << 256n;

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
  /** Of the contract's gas constants, within {@link TOKEN_GAS_PERCENT}; absent: 100, which every contract takes. */
  readonly gasPercent?: number | undefined;
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

/** The `way` byte: way and raised gas. */
export function wayByteOf({
  way,
  gasPercent = TOKEN_GAS_PERCENT.least,
}: Pick<TokenFields, 'way' | 'gasPercent'>): number {
  return (((gasPercent - TOKEN_GAS_PERCENT.least) / TOKEN_GAS_PERCENT.step) << 4) | WAY_BYTE[way];
}

/** Reads what {@link wayByteOf} wrote; undefined: no way has the number. */
export function fromWayByte(wayByte: number): Pick<TokenFields, 'way' | 'gasPercent'> | undefined {
  const way = CHARGING_WAYS.find((known) => WAY_BYTE[known] === (wayByte & 0x0f));
  const steps = wayByte >> 4;
  return way && { way, ...(steps > 0 && { gasPercent: TOKEN_GAS_PERCENT.least + steps * TOKEN_GAS_PERCENT.step }) };
}

/** Bytes of `paymasterData`, signature included; without a way, of sponsorship mode. */
export function paymasterDataBytes(way?: ChargingWay): number {
  if (!way) return SPONSOR_DATA_BYTES;
  return way === 'permit' ? TOKEN_DATA_BYTES + PERMIT_BYTES : TOKEN_DATA_BYTES;
}

/**
 * Refuses fields of token mode that the contract would revert on, before a key signs them.
 *
 * @throws {RangeError} naming the field: these values are the platform's own, so a bad one is our fault
 */
export function assertTokenFields(fields: TokenFields): void {
  assertSponsorFields(fields);
  const { gasPercent = 100, exchangeRate, premiumMillionths, maxTokenChargeBaseUnits } = fields;
  if (!Object.hasOwn(WAY_BYTE, fields.way)) throw new RangeError(`way ${fields.way} is unknown`);
  const { least, most, step } = TOKEN_GAS_PERCENT;
  if (gasPercent < least || gasPercent > most || gasPercent % step !== 0)
    throw new RangeError(`gasPercent ${gasPercent} is not a multiple of ${step} from ${least} to ${most}`);
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
