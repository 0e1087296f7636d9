import { createHmac } from 'node:crypto';

/** What `API_KEY_INDEX_KEY` must look like: 32 bytes in hex, the same in the gateway and the dashboard. */
export const API_KEY_INDEX_KEY_PATTERN = /^(0x)?[0-9a-fA-F]{64}$/;
/** What `API_KEY_INDEX_KEYS_OLD` must look like: up to {@link MAX_OTHER_INDEXES} such keys. */
export const API_KEY_INDEX_KEYS_OLD_PATTERN = /^(0x)?[0-9a-fA-F]{64}(\s*,\s*(0x)?[0-9a-fA-F]{64}){0,2}$/;
/** More index keys than one that may be live at a time: each is looked for in every look-up. */
export const MAX_OTHER_INDEXES = 3;

/** Index keys as the environment has them. */
export interface IndexKeySettings {
  readonly apiKeyIndexKey: string;
  readonly apiKeyIndexKeysOld?: string | undefined;
}

/** The live index keys, the current one first; in hex. */
export type IndexKeys = readonly [current: string, ...others: string[]];

/** @returns the key that makes everything, and then those that are only believed and looked for */
export function indexKeysOf({ apiKeyIndexKey, apiKeyIndexKeysOld = '' }: IndexKeySettings): IndexKeys {
  const others = apiKeyIndexKeysOld.split(',').map((key) => key.trim());
  return [apiKeyIndexKey, ...others.filter((key) => key !== '')];
}

/**
 * The keyed blind index under which a paymaster's API key is stored and asked for: HMAC-SHA256, lower-case hex.
 *
 * @param apiKey the key as the client sends it
 * @param indexKeyHex `API_KEY_INDEX_KEY`: 64 hexadecimal digits, with or without `0x`
 */
export function apiKeyIndex(apiKey: string, indexKeyHex: string): string {
  return createHmac('sha256', Buffer.from(indexKeyHex.replace(/^0x/, ''), 'hex'))
    .update(apiKey, 'utf8')
    .digest('hex');
}
