import type { JsonSchema } from '../../json-rpc/rpc-method';
import { paymasterSignature } from '../common/paymaster-data';
import { address, bytes, hexQuantity } from '../common/primitives';

/** The result of a sponsored operation or a token payment (interface document, "Sponsored-mode result"). */
export const sponsoredResultSchema: JsonSchema = {
  title: 'Sponsorship',
  type: 'object',
  required: ['MODE', 'mode', 'paymasterAndData', 'preVerificationGas', 'verificationGasLimit', 'callGasLimit'],
  properties: {
    MODE: { type: 'string', description: 'the mode requested' },
    mode: { type: 'string', description: 'the same, for clients that read lower case' },
    paymasterAndData: bytes,
    preVerificationGas: {
      type: 'string',
      pattern: '^(?:[0-9]+|0x[0-9a-f]+)$',
      description: 'decimal digits; hex in token mode where the request names the EntryPoint before the mode',
    },
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
      description:
        'the most that is charged, in tokens as people write them, such as 39.185352, and not in base units: ceil(maxGasFee * 10^decimal) base units cover it',
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

/** The ERC20-mode result of a quote (interface document, "ERC20-mode result"). */
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
