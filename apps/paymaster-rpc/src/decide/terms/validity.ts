import { SIGNATURE_BYTES, SPONSOR_DATA_BYTES, SPONSORSHIP_MODE } from '@paymaster/chain';
import { hasPaymasterSignature, InvalidParamsError, type EntryPointVersion } from '@paymaster/domain';
import type { Caller } from '../../callers/caller';

/** Validity of a token's rate when the client names no expiry; seconds. */
const DEFAULT_TOKEN_EXPIRY_SECONDS = 300;
/** Longest time for which a token's rate is promised; seconds. */
export const MAX_TOKEN_EXPIRY_SECONDS = 600;
/** The signature starts this much earlier, so that a chain whose block time lags behind our head still accepts it. */
const BACKDATED_SECONDS = 60;

/** When a signature holds; unix seconds on chain. */
export interface Validity {
  readonly validUntilSeconds: number;
  readonly validAfterSeconds: number;
}

/** How long a client wants a signature to hold. */
export interface WantedValidity {
  /** Undefined: the paymaster's default. */
  readonly seconds: number | undefined;
  /** The field of the request that names it. */
  readonly field: string;
  /** Times that the account may have signed already. They are signed unchanged if a client could ask for them now. */
  readonly promised?: Validity | undefined;
}

/**
 * The bounds: they begin at the chain's time, and last for the paymaster's setting or the operator's ceiling, whichever
 * is lower.
 */
interface ValidityBounds {
  readonly nowSeconds: number;
  readonly maxSeconds: number;
}

/** The bounds of a sponsorship, and how long it holds where the client asks for no time. */
interface SponsorshipBounds extends ValidityBounds {
  readonly defaultSeconds: number;
}

export function validityBounds(
  { chain, paymaster }: Caller,
  { maxExpirySeconds }: { readonly maxExpirySeconds: number },
): SponsorshipBounds {
  return {
    nowSeconds: chain.head.nowSeconds(),
    maxSeconds: Math.min(paymaster.snapshot.settings.maxExpirySeconds, maxExpirySeconds),
    defaultSeconds: paymaster.snapshot.settings.defaultExpirySeconds,
  };
}

/** The terms of sponsorship without the signature behind them. */
const TERMS_BYTES = SPONSOR_DATA_BYTES - SIGNATURE_BYTES;

/**
 * The times that the stub promised, where the client sends the stub's data back: on EntryPoint v0.9 the account may
 * sign these terms before the paymaster does. Undefined for any other data.
 *
 * @param paymasterData of the request's operation
 */
export function promisedValidity(
  version: EntryPointVersion,
  paymasterData: string | null | undefined,
): Validity | undefined {
  if (!hasPaymasterSignature(version) || paymasterData?.length !== 2 + 2 * TERMS_BYTES) return undefined;
  const number = (from: number, to: number) => parseInt(paymasterData.slice(2 + 2 * from, 2 + 2 * to), 16);
  if (number(0, 1) !== SPONSORSHIP_MODE) return undefined;
  return { validUntilSeconds: number(1, 7), validAfterSeconds: number(7, 13) };
}

/**
 * From a minute before now until the expiry that the client asks for.
 *
 * @param expiry the client's wish (undefined: the default) and the field that names it
 * @throws {InvalidParamsError} naming the field, when it is too long
 */
export function validityOf(
  expiry: WantedValidity,
  { nowSeconds, maxSeconds, defaultSeconds }: SponsorshipBounds,
): Validity {
  const { promised } = expiry;
  if (expiry.seconds !== undefined && expiry.seconds > maxSeconds) {
    throw new InvalidParamsError(expiry.field, `${expiry.field} must be at most ${maxSeconds} seconds.`);
  }
  if (promised && isStillGood(promised, { nowSeconds, maxSeconds })) return promised;
  return validFor(expiry.seconds ?? Math.min(defaultSeconds, maxSeconds), nowSeconds);
}

function isStillGood(
  { validUntilSeconds, validAfterSeconds }: Validity,
  { nowSeconds, maxSeconds }: ValidityBounds,
): boolean {
  const isOver = validUntilSeconds <= nowSeconds;
  return !isOver && validUntilSeconds <= nowSeconds + maxSeconds && validAfterSeconds < nowSeconds;
}

/**
 * The same in token mode, where a longer wish is lowered to the longest validity, because existing clients ask for
 * 6,000 s in all their requests for tokens. `validUntil` shows the granted time.
 */
export function tokenValidityOf(seconds: number | undefined, { nowSeconds, maxSeconds }: ValidityBounds): Validity {
  return validFor(Math.min(seconds ?? DEFAULT_TOKEN_EXPIRY_SECONDS, MAX_TOKEN_EXPIRY_SECONDS, maxSeconds), nowSeconds);
}

function validFor(seconds: number, nowSeconds: number): Validity {
  return { validUntilSeconds: nowSeconds + seconds, validAfterSeconds: nowSeconds - BACKDATED_SECONDS };
}
