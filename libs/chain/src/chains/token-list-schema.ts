import {
  CHARGING_WAYS,
  millionthsToPercent,
  TOKEN_TERMS,
  writtenName,
  type SentPrice,
  type WrittenOf,
} from '@paymaster/domain';
import { fileValidator } from './file-validator';
import { ADDRESS, AMOUNT, PERCENT, PRICE } from './schema-parts';

/** The logo has a place of its own in an entry, `logoURI`. */
const { logoUrl: _logoUrl, ...LISTED_TERMS } = TOKEN_TERMS;

function schemaOf(term: (typeof LISTED_TERMS)[keyof typeof LISTED_TERMS]): object {
  switch (term.kind) {
    case 'premium':
      return { ...PERCENT, default: millionthsToPercent(term.standard) };
    case 'wei':
      return AMOUNT;
    case 'ways':
      return { type: 'array', minItems: 1, uniqueItems: true, items: { enum: CHARGING_WAYS } };
  }
}

/** Our part of an entry's `extensions`; an entry without it is not offered. */
const paymaster = {
  type: 'object',
  required: ['price'],
  additionalProperties: false,
  properties: {
    price: PRICE,
    ...Object.fromEntries(
      Object.entries(LISTED_TERMS).map(([name, term]) => [writtenName(term, name), schemaOf(term)]),
    ),
    transferGas: { type: 'integer', minimum: 21_000, maximum: 2_000_000 },
  },
} as const;

/** https://uniswap.org/tokenlist.schema.json, as far as we read it; strict about the names in an entry. */
const schema = {
  type: 'object',
  required: ['name', 'timestamp', 'version', 'tokens'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 100 },
    timestamp: { type: 'string', minLength: 1 },
    version: {
      type: 'object',
      required: ['major', 'minor', 'patch'],
      properties: Object.fromEntries(
        ['major', 'minor', 'patch'].map((part) => [part, { type: 'integer', minimum: 0 }]),
      ),
    },
    tokens: {
      type: 'array',
      maxItems: 10_000,
      items: {
        type: 'object',
        required: ['chainId', 'address', 'name', 'symbol', 'decimals'],
        additionalProperties: false,
        properties: {
          chainId: { type: 'integer', minimum: 1 },
          address: ADDRESS,
          name: { type: 'string' },
          symbol: { type: 'string' },
          decimals: { type: 'integer', minimum: 0, maximum: 255 },
          logoURI: { type: 'string' },
          tags: { type: 'array' },
          extensions: { type: 'object', properties: { paymaster } },
        },
      },
    },
  },
};

/** An entry as JSON has it, defaults filled in. */
export interface RawToken {
  chainId: number;
  address: string;
  name: string;
  symbol: string;
  decimals: number;
  logoURI?: string;
  extensions?: { paymaster?: RawTokenTerms };
}

export interface RawTokenTerms extends Partial<WrittenOf<typeof LISTED_TERMS>> {
  price: SentPrice;
  transferGas?: number;
}

/** Checks the form of a token list and fills in our defaults. */
export const isRawTokenList = fileValidator<{ tokens: RawToken[] }>(schema);
