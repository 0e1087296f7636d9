import { InvalidParamsError } from '@paymaster/domain';

/** Validity when the client names none; seconds. */
export const DEFAULT_EXPIRY_SECONDS = 300;
/** Longest time for which a token's rate is promised; seconds. */
export const MAX_TOKEN_EXPIRY_SECONDS = 600;
/** Chains whose block time lags behind the head we saw still accept the signature. */
const BACKDATED_SECONDS = 60;

/** When a signature holds; unix seconds on chain. */
export interface Validity {
  readonly validUntilSeconds: number;
  readonly validAfterSeconds: number;
}

/** Of the chain's time, and the lower one of the paymaster's setting and the operator's ceiling. */
interface ValidityBounds {
  readonly nowSeconds: number;
  readonly maxSeconds: number;
}

/**
 * From a minute before now until the expiry asked for.
 *
 * @param expiry what the client asks for (undefined: the default) and where it stands
 * @throws {InvalidParamsError} naming the field, when it is too long
 */
export function validityOf(
  expiry: { seconds: number | undefined; field: string },
  { nowSeconds, maxSeconds }: ValidityBounds,
): Validity {
  if (expiry.seconds !== undefined && expiry.seconds > maxSeconds) {
    throw new InvalidParamsError(expiry.field, `${expiry.field} must be at most ${maxSeconds} seconds.`);
  }
  return validFor(expiry.seconds ?? Math.min(DEFAULT_EXPIRY_SECONDS, maxSeconds), nowSeconds);
}

/**
 * The same in token mode, where a longer wish is answered with the longest validity there is: existing clients ask
 * for 6,000 s in all their requests for tokens. `validUntil` says what they got.
 */
export function tokenValidityOf(seconds: number | undefined, { nowSeconds, maxSeconds }: ValidityBounds): Validity {
  return validFor(Math.min(seconds ?? DEFAULT_EXPIRY_SECONDS, MAX_TOKEN_EXPIRY_SECONDS, maxSeconds), nowSeconds);
}

function validFor(seconds: number, nowSeconds: number): Validity {
  return { validUntilSeconds: nowSeconds + seconds, validAfterSeconds: nowSeconds - BACKDATED_SECONDS };
}
