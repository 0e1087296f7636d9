import { CHARGING_WAYS, type ChargingWay, type SentPrice } from '@paymaster/domain';
import { fileValidator } from './file-validator';
import { ADDRESS, AMOUNT, PERCENT, PRICE } from './schema-parts';

/** Our part of an entry's `extensions`; an entry without it is not offered. */
const paymaster = {
  type: 'object',
  required: ['price'],
  additionalProperties: false,
  properties: {
    price: PRICE,
    premiumPercentage: { ...PERCENT, default: '10' },
    exposureCapWei: AMOUNT,
    chargingWays: { type: 'array', minItems: 1, uniqueItems: true, items: { enum: CHARGING_WAYS } },
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

export interface RawTokenTerms {
  price: SentPrice;
  premiumPercentage: string;
  exposureCapWei?: string;
  chargingWays?: ChargingWay[];
  transferGas?: number;
}

/** Checks the form of a token list and fills in our defaults. */
export const isRawTokenList = fileValidator<{ tokens: RawToken[] }>(schema);
