import type { Answered, RequestMode } from '../metrics/request-meter';

/** What the requests of a method are counted as. Asked for every request: no work beyond looking. */
export interface RequestKind {
  /** @param params that the method's schema let through */
  modeOf(params: readonly unknown[]): RequestMode;
  /** @param result that the method gave */
  answeredWith(mode: RequestMode, result: unknown): Answered;
}

/** A method that gives nothing away. */
export const PLAIN: RequestKind = { modeOf: () => 'none', answeredWith: () => 'answered' };
