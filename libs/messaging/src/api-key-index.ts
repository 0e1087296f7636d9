import { createHmac } from 'node:crypto';

/** What `API_KEY_INDEX_KEY` must look like: 32 bytes in hex, the same in the gateway and the dashboard. */
export const API_KEY_INDEX_KEY_PATTERN = /^(0x)?[0-9a-fA-F]{64}$/;

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
