import { createHmac, timingSafeEqual } from 'node:crypto';
import { webhookSecretKey } from './webhook-secret';

/** What is signed (Standard Webhooks, "Signature scheme"). */
export interface SignedMessage {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string;
}

/** The `webhook-signature` header: one signature per secret in force. */
export function webhookSignature(message: SignedMessage, secrets: readonly string[]): string {
  return secrets.map((secret) => `v1,${hmac(message, secret)}`).join(' ');
}

/** Whether a header holds a signature of one of the secrets; what a receiver does. */
export function isWebhookSignature(header: string, message: SignedMessage, secrets: readonly string[]): boolean {
  const given = header.split(' ').map((one) => Buffer.from(one));
  return secrets.some((secret) => {
    const wanted = Buffer.from(`v1,${hmac(message, secret)}`);
    return given.some((one) => one.length === wanted.length && timingSafeEqual(one, wanted));
  });
}

function hmac({ id, timestampSeconds, body }: SignedMessage, secret: string): string {
  return createHmac('sha256', webhookSecretKey(secret)).update(`${id}.${timestampSeconds}.${body}`).digest('base64');
}
