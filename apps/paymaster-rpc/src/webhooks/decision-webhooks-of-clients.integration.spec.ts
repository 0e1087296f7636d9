import { NO_DEADLINE } from '@paymaster/domain';
import { userOperationV06Builder } from '@paymaster/domain/testing';
import { WebhookClient } from '@paymaster/webhooks';
import { WebhookReceiver } from '@paymaster/webhooks/testing';
import { DecisionWebhooks, MAX_QUESTIONS_PER_CLIENT } from './decision-webhooks.service';

const question = {
  ...{ webhookData: {}, operation: userOperationV06Builder().build(), calls: [] },
  ...{ prechargeWei: 1n, prechargeMicroUsd: undefined },
};

describe('DecisionWebhooks, where one client asks for what makes the server slow', () => {
  let receiver: WebhookReceiver;
  /** Ends what hangs. */
  let letGo: () => void;
  let webhooks: DecisionWebhooks;
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    const held: (() => void)[] = [];
    receiver.behaviour = (response, { path }) => {
      const answer = (): void => void response.end('{"arePoliciesVerified":true}');
      if (path.includes('slow')) held.push(answer);
      else answer();
    };
    letGo = () => held.splice(0).forEach((answer) => answer());
    const client = new WebhookClient({ signingKey: new Uint8Array(32).fill(3), allowInsecure: true });
    // Nothing is slow but what is held here.
    webhooks = new DecisionWebhooks(client, 60_000);
  });
  afterEach(() => receiver.stop());

  const ask = (client: string | undefined, { path = '/', servers = 1 } = {}) =>
    webhooks.assertVerified({
      ...{ paymasterId: 'a', client, question, deadlineMs: NO_DEADLINE },
      webhooks: Array.from({ length: servers }, (_, index) => ({
        ...{ webhookId: `hook-${index}`, url: `${receiver.url}${path}`, method: 'POST' as const },
        secretVersions: [1],
      })),
    });
  const reasonOf = (asked: Promise<unknown>): Promise<string> =>
    asked.then(
      () => 'verified',
      (error: { reason: string }) => error.reason,
    );

  it('serves the others, and that client again when its questions are answered', async () => {
    const slow = Array.from({ length: 20 }, () => reasonOf(ask('stranger', { path: '/slow' })));
    expect(await reasonOf(ask('stranger'))).toBe('WEBHOOK_FAILED');
    const others = Array.from({ length: 8 }, (_, index) => reasonOf(ask(`client ${index}`)));
    expect(await Promise.all(others)).toEqual(others.map(() => 'verified'));
    while (receiver.requests.length < MAX_QUESTIONS_PER_CLIENT + others.length)
      await new Promise((resolve) => setTimeout(resolve, 5));
    letGo();
    const outcomes = await Promise.all(slow);
    expect(outcomes.filter((outcome) => outcome === 'verified')).toHaveLength(MAX_QUESTIONS_PER_CLIENT);
    expect(await reasonOf(ask('stranger'))).toBe('verified');
  });

  it('bounds nobody where the owner lets one client have all', async () => {
    const slow = Array.from({ length: 12 }, () => reasonOf(ask(undefined, { path: '/slow' })));
    while (receiver.requests.length < slow.length) await new Promise((resolve) => setTimeout(resolve, 5));
    letGo();
    expect(await Promise.all(slow)).toEqual(slow.map(() => 'verified'));
  });

  it('lets a client ask one operation of more servers than that', async () => {
    expect(await reasonOf(ask('client', { servers: MAX_QUESTIONS_PER_CLIENT + 2 }))).toBe('verified');
    const both = [ask('client', { servers: 5 }), ask('client', { servers: 5 })].map(reasonOf);
    expect((await Promise.all(both)).sort()).toEqual(['WEBHOOK_FAILED', 'verified']);
  });
});
