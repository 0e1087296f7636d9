import { HEX_PATTERN } from '@paymaster/domain';
import type { JsonSchema } from '../../json-rpc/rpc-method';

/**
 * Small schemas that the methods share. `description` completes the sentence "<field> must be …" of an error, and
 * stands in the OpenRPC document.
 */

/** Any form clients send; sizes are checked by the parser. */
export const quantity: JsonSchema = {
  type: ['string', 'integer'],
  pattern: '^(?:0x[0-9a-fA-F]*|[0-9]+)$',
  maxLength: 200,
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description:
    'a quantity: a hex string, a decimal string, or an integer up to 2^53 - 1 (larger ones lose digits as JSON numbers)',
};

export const address: JsonSchema = {
  type: 'string',
  pattern: '^0x[0-9a-fA-F]{40}$',
  description: 'an address: 0x and 40 hex digits',
};

/** Odd lengths are refused by the parser, in linear time. */
export const bytes: JsonSchema = {
  type: 'string',
  pattern: HEX_PATTERN,
  description: 'bytes: 0x and an even number of hex digits',
};

/** Clients write an absent field as null or 0x too. */
export const optionalAddress: JsonSchema = {
  type: ['string', 'null'],
  pattern: '^0x(?:[0-9a-fA-F]{40})?$',
  description: 'an address: 0x and 40 hex digits',
};

export const optionalBytes: JsonSchema = { ...bytes, type: ['string', 'null'] };

export const hexQuantity: JsonSchema = { type: 'string', pattern: '^0x(?:0|[1-9a-f][0-9a-f]*)$' };
