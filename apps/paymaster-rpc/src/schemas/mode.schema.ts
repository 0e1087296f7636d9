import { SMART_ACCOUNT_KINDS } from '@paymaster/domain';
import type { JsonSchema } from '../json-rpc/rpc-method';
import { address } from './primitives';

/** `SPONSORSHIP` is how the interface document's text calls SPONSORED. */
export const MODES = ['SPONSORED', 'SPONSORSHIP', 'ERC20'] as const;
export type ModeName = (typeof MODES)[number];

/** A misspelling in a widely used SDK's enumeration. */
export const INFINITISM_MISSPELT = 'INFINITSM';

const smartAccountInfo: JsonSchema = {
  type: 'object',
  description: 'an object with name and version',
  required: ['name', 'version'],
  properties: {
    name: {
      enum: [...SMART_ACCOUNT_KINDS, INFINITISM_MISSPELT],
      description: `one of ${SMART_ACCOUNT_KINDS.join(', ')}`,
    },
    version: { type: 'string', maxLength: 20, description: 'a version, for example "2.0.0"' },
  },
};

const token: JsonSchema = { ...address, type: ['string', 'null'] };

/** The core dialect's `params[1]`; also the `context` of ERC-7677. Which objects a mode needs is `parseMode`'s business. */
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
      type: 'object',
      description: 'an object with smartAccountInfo',
      properties: { webhookData: { type: 'object', description: 'an object' }, smartAccountInfo },
    },
    tokenInfo: {
      type: 'object',
      description: 'an object with preferredToken and tokenList',
      properties: {
        preferredToken: token,
        feeTokenAddress: token,
        tokenList: { type: 'array', maxItems: 100, items: token, description: 'a list of at most 100 token addresses' },
      },
    },
  },
};

/** ERC-7677's last parameter: null, the core mode object, or `{ token }`. */
export const contextSchema: JsonSchema = {
  ...modeSchema,
  title: 'Context',
  description: 'null or an object',
  type: ['object', 'null'],
  properties: { ...(modeSchema['properties'] as object), token },
};
