import type { JsonSchema } from '../json-rpc/rpc-method';
import { address, bytes, hexQuantity } from './primitives';

const paymasterSignature: JsonSchema = {
  ...bytes,
  description: 'EntryPoint v0.9: 65 bytes that userOpHash leaves out, so that the account may sign before it has them',
};

/** The core dialect's sponsored result (interface document, "Sponsored-mode result"); that of a token payment too. */
export const sponsoredResultSchema: JsonSchema = {
  title: 'Sponsorship',
  type: 'object',
  required: ['MODE', 'mode', 'paymasterAndData', 'preVerificationGas', 'verificationGasLimit', 'callGasLimit'],
  properties: {
    MODE: { type: 'string', description: 'the mode requested' },
    mode: { type: 'string', description: 'the same, for clients that read lower case' },
    paymasterAndData: bytes,
    preVerificationGas: { type: 'string', pattern: '^[0-9]+$' },
    verificationGasLimit: { type: 'integer' },
    callGasLimit: { type: 'integer' },
    paymaster: { ...address, description: 'EntryPoint v0.7 and later' },
    paymasterData: { ...bytes, description: 'EntryPoint v0.7 and later' },
    paymasterSignature,
    paymasterVerificationGasLimit: { ...hexQuantity, description: 'EntryPoint v0.7 and later' },
    paymasterPostOpGasLimit: { ...hexQuantity, description: 'EntryPoint v0.7 and later' },
  },
};

const feeQuoteSchema: JsonSchema = {
  title: 'FeeQuote',
  type: 'object',
  required: [
    'symbol',
    'decimal',
    'tokenAddress',
    'maxGasFee',
    'maxGasFeeUSD',
    'exchangeRate',
    'premiumPercentage',
    'validUntil',
    'logoUrl',
  ],
  properties: {
    symbol: { type: 'string' },
    decimal: { type: 'integer', description: "the token's decimals" },
    tokenAddress: address,
    maxGasFee: {
      type: 'number',
      description: 'the most that is charged, in whole tokens: ceil(maxGasFee * 10^decimal) base units cover it',
    },
    maxGasFeeUSD: { type: 'number' },
    exchangeRate: {
      type: 'integer',
      description: 'token base units per 1e18 wei, without the premium; all its digits are written, read it as text',
    },
    premiumPercentage: { type: 'string', description: 'on top of the rate, for example "10"' },
    validUntil: { type: 'integer', description: 'unix seconds' },
    logoUrl: { type: 'string', description: 'may be empty' },
  },
};

/** The core dialect's ERC20-mode result of a quote (interface document, "ERC20-mode result"). */
export const feeQuotesResultSchema: JsonSchema = {
  title: 'FeeQuotes',
  type: 'object',
  required: ['MODE', 'mode', 'paymasterAddress', 'feeQuotes', 'unsupportedTokens'],
  properties: {
    MODE: { const: 'ERC20' },
    mode: { const: 'ERC20', description: 'the same, for clients that read lower case' },
    paymasterAddress: { ...address, description: 'whom to approve' },
    feeQuotes: { type: 'array', items: feeQuoteSchema, description: 'the preferred token first, then as asked' },
    unsupportedTokens: { type: 'array', items: address, description: 'of those asked for, in lower case' },
    unavailableTokens: {
      type: 'array',
      description: 'tokens that are supported but have no quote now; only present when there are any',
      items: {
        type: 'object',
        required: ['tokenAddress', 'reason'],
        properties: { tokenAddress: address, reason: { type: 'string' } },
      },
    },
  },
};

/** ERC-7677 answers: exactly the standard keys, because clients spread them over the operation. */
export const paymasterDataResultSchema: JsonSchema = {
  title: 'PaymasterData',
  type: 'object',
  additionalProperties: false,
  properties: {
    paymasterAndData: { ...bytes, description: 'EntryPoint v0.6' },
    paymaster: { ...address, description: 'EntryPoint v0.7 and later' },
    paymasterData: { ...bytes, description: 'EntryPoint v0.7 and later' },
    paymasterSignature,
    paymasterVerificationGasLimit: { ...hexQuantity, description: 'EntryPoint v0.7 and later' },
    paymasterPostOpGasLimit: { ...hexQuantity, description: 'EntryPoint v0.7 and later' },
    callGasLimit: { ...hexQuantity, description: 'only where the limits were asked for' },
    verificationGasLimit: { ...hexQuantity, description: 'only where the limits were asked for' },
    preVerificationGas: { ...hexQuantity, description: 'only where the limits were asked for' },
  },
};

/** What `pm_supportedERC20Tokens` answers, in the words of Candide's clients. */
export const supportedTokensResultSchema: JsonSchema = {
  type: 'object',
  required: ['paymasterMetadata', 'tokens'],
  properties: {
    paymasterMetadata: {
      type: 'object',
      required: ['name', 'description', 'icons', 'address', 'sponsoredEventTopic', 'dummyPaymasterAndData'],
      properties: {
        name: { type: 'string' },
        description: { type: 'string' },
        icons: { type: 'array', items: { type: 'string' } },
        address,
        sponsoredEventTopic: bytes,
        dummyPaymasterAndData: {
          oneOf: [bytes, paymasterDataResultSchema],
          description: 'for estimation; bytes with EntryPoint v0.6, the fields of the paymaster with later ones',
        },
      },
    },
    tokens: {
      type: 'array',
      description: 'those that have a price now',
      items: {
        type: 'object',
        required: ['name', 'symbol', 'address', 'decimals', 'exchangeRate'],
        properties: {
          name: { type: 'string' },
          symbol: { type: 'string' },
          address,
          decimals: { type: 'integer' },
          exchangeRate: { ...hexQuantity, description: 'token base units per 1e18 wei, the premium included' },
        },
      },
    },
  },
};
