import { createHmac } from 'node:crypto';

/** The most index keys that may be live beside the current one: every look-up tries each of them. */
export const MAX_OTHER_INDEXES = 3;
const KEY = '(0x)?[0-9a-fA-F]{64}';
/** The form of `API_KEY_INDEX_KEY`: 32 bytes in hex, the same in the gateway and the dashboard. */
export const API_KEY_INDEX_KEY_PATTERN = new RegExp(`^${KEY}$`);
/** The form of `API_KEY_INDEX_KEYS_OLD`: up to {@link MAX_OTHER_INDEXES} of these keys. */
export const API_KEY_INDEX_KEYS_OLD_PATTERN = new RegExp(`^${KEY}(\\s*,\\s*${KEY}){0,${MAX_OTHER_INDEXES - 1}}$`);

/** Index keys as environment variables have them. */
export interface IndexKeySettings {
  readonly apiKeyIndexKey: string;
  readonly apiKeyIndexKeysOld?: string | undefined;
}

/** The live index keys, the current one first; in hex. */
export type IndexKeys = readonly [current: string, ...others: string[]];

/** @returns the current key, which makes all indexes and HMACs, then the old keys, which are only accepted */
export function indexKeysOf({ apiKeyIndexKey, apiKeyIndexKeysOld = '' }: IndexKeySettings): IndexKeys {
  const others = apiKeyIndexKeysOld.split(',').map((key) => key.trim());
  return [apiKeyIndexKey, ...others.filter((key) => key !== '')];
}

/**
 * The keyed blind index under which a paymaster's API key is stored and looked up: HMAC-SHA256, lower-case hex.
 *
 * @param apiKey the key as the client sends it
 * @param indexKeyHex `API_KEY_INDEX_KEY`: 64 hexadecimal digits, with or without `0x`
 */
export function apiKeyIndex(apiKey: string, indexKeyHex: string): string {
  return createHmac('sha256', Buffer.from(indexKeyHex.replace(/^0x/, ''), 'hex'))
    .update(apiKey, 'utf8')
    .digest('hex');
}
