import { InvalidParamsError } from '@paymaster/domain';

/** Validity when the client names none; seconds. */
export const DEFAULT_EXPIRY_SECONDS = 300;
/** Chains whose block time lags behind the head we saw still accept the signature. */
const BACKDATED_SECONDS = 60;

/** When a signature holds; unix seconds on chain. */
export interface Validity {
  readonly validUntilSeconds: number;
  readonly validAfterSeconds: number;
}

/**
 * From a minute before now until the expiry asked for.
 *
 * @param expiry what the client asks for (undefined: the default) and where it stands
 * @param maxSeconds the lower one of the paymaster's setting and the operator's ceiling
 * @throws {InvalidParamsError} naming the field, when it is too long
 */
export function validityOf(
  expiry: { seconds: number | undefined; field: string },
  { nowSeconds, maxSeconds }: { nowSeconds: number; maxSeconds: number },
): Validity {
  if (expiry.seconds !== undefined && expiry.seconds > maxSeconds) {
    throw new InvalidParamsError(expiry.field, `${expiry.field} must be at most ${maxSeconds} seconds.`);
  }
  const seconds = expiry.seconds ?? Math.min(DEFAULT_EXPIRY_SECONDS, maxSeconds);
  return { validUntilSeconds: nowSeconds + seconds, validAfterSeconds: nowSeconds - BACKDATED_SECONDS };
}
