import { webhookSecret } from './webhook-secret';
import { isWebhookSignature, webhookSignature } from './webhook-signature';

const message = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1_614_265_330,
  body: '{"test": 2432232314}',
};
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('webhookSignature', () => {
  it('is the one of the published example of Standard Webhooks', () => {
    expect(webhookSignature(message, [secret])).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('is good for a receiver that knows only one of two secrets in force', () => {
    const other = webhookSecret({ signingKey: new Uint8Array(32), webhookId: 'hook', version: 2 });
    const header = webhookSignature(message, [other, secret]);
    expect(isWebhookSignature(header, message, [secret])).toBe(true);
    expect(isWebhookSignature(header, message, [other])).toBe(true);
  });

  it.each([
    ['the body', { ...message, body: `${message.body} ` }],
    ['the time', { ...message, timestampSeconds: message.timestampSeconds + 1 }],
    ['the id', { ...message, id: 'msg_other' }],
  ])('does not fit when %s was changed', (_what, changed) => {
    expect(isWebhookSignature(webhookSignature(message, [secret]), changed, [secret])).toBe(false);
  });
});

describe('webhookSecret', () => {
  const signingKey = new Uint8Array(32).fill(7);
  const of = (webhookId: string, version: number) => webhookSecret({ signingKey, webhookId, version });

  it('differs for every webhook and version, and for every signing key', () => {
    const other = webhookSecret({ signingKey: new Uint8Array(32), webhookId: 'a', version: 1 });
    expect(new Set([of('a', 1), of('a', 2), of('b', 1), other]).size).toBe(4);
  });

  it('is the same whenever it is derived, with 32 bytes of key', () => {
    expect(of('a', 1)).toBe(of('a', 1));
    expect(of('a', 1)).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  });
});
