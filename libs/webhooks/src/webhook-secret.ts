import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/**
 * The secret of one webhook in one version, as Standard Webhooks writes it. Derived, so that it is stored nowhere and
 * never travels: whoever has the signing key can make it.
 *
 * @param signingKey 32 bytes
 */
export function webhookSecret(request: { signingKey: Uint8Array; webhookId: string; version: number }): string {
  const { signingKey, webhookId, version } = request;
  return PREFIX + createHmac('sha256', signingKey).update(`${webhookId}:${version}`).digest('base64');
}

/** The key inside a secret. */
export function webhookSecretKey(secret: string): Buffer {
  if (!secret.startsWith(PREFIX)) throw new TypeError(`a webhook secret starts with ${PREFIX}`);
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}
