import { MISSPELT_SMART_ACCOUNT_NAMES, SMART_ACCOUNT_NAMES } from '@paymaster/policy';
import type { JsonSchema } from '../../json-rpc/rpc-method';
import { erc20ContextSchema } from './erc20-context';
import { policyProperties } from './named-policies';
import { address, quantity } from './primitives';

/** `SPONSORSHIP` is how the interface document's text calls SPONSORED. */
export const MODES = ['SPONSORED', 'SPONSORSHIP', 'ERC20'] as const;
export type ModeName = (typeof MODES)[number];

const smartAccountInfo: JsonSchema = {
  title: 'SmartAccountInfo',
  type: 'object',
  description: 'an object with name and version',
  required: ['name', 'version'],
  properties: {
    name: {
      enum: [...SMART_ACCOUNT_NAMES, ...MISSPELT_SMART_ACCOUNT_NAMES],
      description: `one of ${SMART_ACCOUNT_NAMES.join(', ')}`,
    },
    version: { type: 'string', maxLength: 20, description: 'a version, for example "2.0.0"' },
  },
};

const token: JsonSchema = { ...address, type: ['string', 'null'] };

/** Tokens named in one request. */
const MAX_TOKENS = 100;

const word: JsonSchema = { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$', description: '32 bytes' };

/** EIP-2612; the signature in one piece, or as v, r and s. */
const permit: JsonSchema = {
  title: 'Permit',
  type: ['object', 'null'],
  description: 'an object with value, deadline and signature: an EIP-2612 permit of the sender for the paymaster',
  required: ['value', 'deadline'],
  properties: {
    value: quantity,
    deadline: quantity,
    signature: {
      type: ['string', 'null'],
      pattern: '^0x[0-9a-fA-F]{130}$',
      description: 'a signature of 65 bytes: 0x and 130 hex digits',
    },
    v: quantity,
    r: word,
    s: word,
  },
};

/** Biconomy's `params[1]`; also the `context` of ERC-7677. Which objects a mode needs is `parseMode`'s business. */
export const modeSchema: JsonSchema = {
  title: 'Mode',
  description: 'an object with the mode',
  type: 'object',
  properties: {
    mode: { enum: [...MODES], description: `one of ${MODES.join(', ')}` },
    calculateGasLimits: { type: 'boolean', description: 'true or false' },
    expiryDuration: { type: 'integer', minimum: 0, description: 'a number of seconds' },
    entryPoint: { ...address, description: 'the address of the EntryPoint the operation is for' },
    sponsorshipInfo: {
      title: 'SponsorshipInfo',
      type: 'object',
      description: 'an object with smartAccountInfo',
      properties: { webhookData: { type: 'object', description: 'an object' }, smartAccountInfo },
    },
    tokenInfo: {
      title: 'TokenInfo',
      type: 'object',
      description: 'an object with preferredToken and tokenList',
      properties: {
        preferredToken: token,
        feeTokenAddress: token,
        tokenList: {
          type: ['array', 'null'],
          maxItems: MAX_TOKENS,
          items: token,
          description: `a list of at most ${MAX_TOKENS} token addresses`,
        },
        permit,
      },
    },
  },
};

/** ERC-7677's last parameter: null, Biconomy's mode object, `{ token, permit? }`, or Alchemy's `{ erc20Context }`. */
export const contextSchema: JsonSchema = {
  ...modeSchema,
  title: 'Context',
  description: 'null or an object',
  type: ['object', 'null'],
  properties: {
    ...(modeSchema['properties'] as object),
    ...policyProperties,
    token,
    permit,
    erc20Context: erc20ContextSchema,
  },
};
