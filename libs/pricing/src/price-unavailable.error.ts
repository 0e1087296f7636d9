import { DomainError } from '@paymaster/domain';

/** Why a token has no quote; stable words, shown to clients as `data.cause`. What each means: README.md. */
export const PRICE_FAULTS = [
  'NOT_YET_READ',
  'SOURCE_FAILED',
  'STALE',
  'NOT_POSITIVE',
  'JUMPED',
  'SOURCES_DISAGREE',
  'TOO_FEW_SOURCES',
  'SEQUENCER_DOWN',
  'WRONG_DECIMALS',
  'RATE_OUT_OF_RANGE',
] as const;
export type PriceFault = (typeof PRICE_FAULTS)[number];

/** This token can't be quoted now; others may. Nothing was signed. */
export class PriceUnavailableError extends DomainError {
  readonly reason = 'PRICE_UNAVAILABLE';

  constructor(
    readonly fault: PriceFault,
    message: string,
    details: Record<string, unknown> = {},
  ) {
    super(message, { ...details, cause: fault });
  }
}
