import { randomBytes, randomUUID } from 'node:crypto';

const PREFIX_LENGTH = 9;
const API_KEY = /^[A-Za-z0-9_-]{9}\.[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * A new API key in the form existing clients know: 9 characters, a dot, a UUID v4; some 175 random bits. It has no `_`,
 * because Biconomy's SDK takes no URL with it.
 */
export function generateApiKey(): string {
  const letters = randomBytes(2 * PREFIX_LENGTH)
    .toString('base64url')
    .replaceAll('_', '');
  return `${letters.slice(0, PREFIX_LENGTH)}.${randomUUID()}`;
}

/** Whether a text can be an API key at all. */
export function isApiKeyShaped(text: string): boolean {
  return API_KEY.test(text);
}
