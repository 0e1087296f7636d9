import { DomainError, type TokenListing } from '@paymaster/domain';

/** Why a token has no quote: stable codes that clients see as `data.cause`. README.md explains each. */
export const PRICE_FAULTS = [
  'NO_SOURCE',
  'NOT_YET_READ',
  'SOURCE_FAILED',
  'STALE',
  'NOT_POSITIVE',
  'JUMPED',
  'SOURCES_DISAGREE',
  'TOO_FEW_SOURCES',
  'SEQUENCER_DOWN',
  'API_ID_UNKNOWN',
  'WRONG_DECIMALS',
  'RATE_OUT_OF_RANGE',
] as const;
export type PriceFault = (typeof PRICE_FAULTS)[number];

/** This token can't be quoted now; other tokens may. Nothing was signed. */
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

/** The sentence for clients; sources and their answers are for operators only. */
const SENTENCES: Readonly<Record<PriceFault, string>> = {
  NO_SOURCE: 'this chain has no price source for it',
  NOT_YET_READ: 'its price has not been read yet',
  SOURCE_FAILED: 'its price source does not answer',
  STALE: 'its price, or that of the native coin, is too old',
  NOT_POSITIVE: 'its price, or that of the native coin, is not above zero',
  JUMPED: 'its price, or that of the native coin, moved suddenly and is being confirmed',
  SOURCES_DISAGREE: 'the price sources disagree',
  TOO_FEW_SOURCES: 'too few price sources answer',
  SEQUENCER_DOWN: 'the sequencer of the chain is down or has just come back',
  API_ID_UNKNOWN: 'its price API does not know its apiId',
  WRONG_DECIMALS: 'its price feed has decimals that cannot be right',
  RATE_OUT_OF_RANGE: 'its rate is out of range',
};

/** The error for one token, in a sentence for the person who wanted to pay with it. */
export function priceUnavailable(token: TokenListing, fault: PriceFault): PriceUnavailableError {
  return new PriceUnavailableError(fault, `${token.symbol} can't be priced now: ${SENTENCES[fault]}`, {
    token: token.address,
  });
}

/** The error for the native coin, where something is counted in USD. */
export function nativePriceUnavailable(fault: PriceFault): PriceUnavailableError {
  return new PriceUnavailableError(fault, `The native coin can't be priced in USD now: ${SENTENCES[fault]}`);
}
