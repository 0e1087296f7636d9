import { RequestTimedOutError } from '@paymaster/domain';
import { userOperationV06Builder, until } from '@paymaster/domain/testing';
import { Metrics } from '@paymaster/nest-kit';
import { NO_DEADLINE } from '@paymaster/turns';
import { isWebhookSignature, WebhookClient, webhookSecret } from '@paymaster/webhooks';
import { answers, WebhookReceiver } from '@paymaster/webhooks/testing';
import { DecisionMetrics } from './decision-metrics';
import type { DecisionQuestion } from './decision-question';
import { DecisionWebhooks, MAX_QUESTIONS_PER_PAYMASTER } from './decision-webhooks.service';

const signingKey = new Uint8Array(32).fill(3);
/** Longer than a machine stalls, so a server that is slow here does not answer at all. */
const PATIENCE_MS = 60_000;
const operation = userOperationV06Builder()
  .with('nonce', 18n)
  .with('callGasLimit', 108_848n)
  .with('maxFeePerGas', 1_750_000_000n)
  .build();
const to = '0x00000000000000000000000000000000000000aa';
const question: DecisionQuestion = {
  webhookData: { value: { num: 2 }, field: 'params[1].sponsorshipInfo.webhookData' },
  operation,
  calls: [{ to, valueWei: 5n, data: '0xd09de08a', selector: '0xd09de08a' }],
  prechargeWei: 10n ** 15n,
  prechargeMicroUsd: 2_500_001n,
};
const reason = (word: string) => expect.objectContaining({ reason: word });

describe('DecisionWebhooks', () => {
  let receiver: WebhookReceiver;
  let webhooks: DecisionWebhooks;
  let deadlineMs: number;
  const ask = (paymasterId = 'a', url = receiver.url, method: 'GET' | 'POST' = 'POST', client = 'client') =>
    webhooks.confirm({
      ...{ paymasterId, client, deadlineMs },
      webhooks: [{ webhookId: 'hook', url, method, secretVersions: [1] }],
      question,
    });

  const receivers: WebhookReceiver[] = [];
  const newReceiver = async (): Promise<WebhookReceiver> => {
    const started = await WebhookReceiver.start();
    receivers.push(started);
    return started;
  };
  const client = new WebhookClient({ signingKey, allowInsecure: true });
  let metrics: Metrics;

  beforeEach(async () => {
    deadlineMs = NO_DEADLINE;
    receiver = await newReceiver();
    metrics = new Metrics();
    webhooks = new DecisionWebhooks(client, PATIENCE_MS, new DecisionMetrics(metrics));
  });
  afterEach(async () => {
    for (const started of receivers.splice(0)) await started.stop();
  });

  it("asks with the client's data, the operation and its cost, signed", async () => {
    await expect(ask()).resolves.toEqual([{ rule: 'webhook', input: 'hook', outcome: 'pass' }]);
    const [got] = receiver.requests;
    expect(JSON.parse(got?.body ?? '')).toMatchObject({
      data: { num: 2 },
      userOp: { sender: operation.sender, nonce: '0x12', callGasLimit: '108848', maxFeePerGas: '1750000000' },
      decodedCalls: [{ to, valueWei: '5', selector: '0xd09de08a' }],
      costWei: '1000000000000000',
      costUsd: '2.500001',
    });
    const id = String(got?.headers['webhook-id']);
    const timestampSeconds = Number(got?.headers['webhook-timestamp']);
    const secret = webhookSecret({ signingKey, webhookId: 'hook', version: 1 });
    const header = String(got?.headers['webhook-signature']);
    expect(isWebhookSignature(header, { id, timestampSeconds, body: got?.body ?? '' }, [secret])).toBe(true);
  });

  it('hands the data of a GET over as a query', async () => {
    await ask('a', `${receiver.url}/check?tenant=1`, 'GET');
    const { searchParams } = new URL(receiver.requests[0]?.path ?? '', receiver.url);
    expect(Object.fromEntries(searchParams)).toEqual({ tenant: '1', data: '{"num":2}' });
  });

  it('refuses when the server says no', async () => {
    receiver.behaviour = answers(200, { arePoliciesVerified: false });
    await expect(ask()).rejects.toEqual(reason('WEBHOOK_REFUSED'));
  });

  it('needs every webhook to agree', async () => {
    const other = await newReceiver();
    other.behaviour = answers(200, { arePoliciesVerified: false });
    const same = { paymasterId: 'a', client: 'client', deadlineMs };
    const both = [receiver, other].map(({ url }, index) => ({
      ...{ webhookId: `hook-${index}`, url, method: 'POST' as const },
      secretVersions: [1],
    }));
    await expect(webhooks.confirm({ ...same, webhooks: both, question })).rejects.toEqual(reason('WEBHOOK_REFUSED'));
  });

  it.each([
    ['fails', answers(500, { arePoliciesVerified: true })],
    ['is redirected', answers(302, {})],
    ['answers no JSON', (response: import('node:http').ServerResponse) => void response.end('yes')],
    ['answers 10 MB', answers(200, { arePoliciesVerified: true, filler: 'x'.repeat(10_000_000) })],
    ['hangs up', (response: import('node:http').ServerResponse) => void response.destroy()],
  ])('refuses when the server %s', async (_what, behaviour) => {
    receiver.behaviour = behaviour;
    await expect(ask()).rejects.toEqual(reason('WEBHOOK_FAILED'));
  });

  it('refuses after 3 s without an answer', async () => {
    webhooks = new DecisionWebhooks(client);
    receiver.behaviour = () => undefined;
    const started = performance.now();
    await expect(ask()).rejects.toEqual(reason('WEBHOOK_FAILED'));
    const elapsedMs = performance.now() - started;
    expect(elapsedMs).toBeGreaterThan(2_900);
    expect(elapsedMs).toBeLessThan(PATIENCE_MS);
  });

  it('is not asked for a request whose deadline is over', async () => {
    deadlineMs = performance.now();
    await expect(ask()).rejects.toThrow(RequestTimedOutError);
    expect(receiver.requests).toHaveLength(0);
  });

  it('has the rest of the request’s time, and is not paused for missing that deadline', async () => {
    receiver.behaviour = () => undefined;
    for (let i = 0; i < 7; i++) {
      deadlineMs = performance.now() + 100;
      await expect(ask()).rejects.toThrow(RequestTimedOutError);
    }
    deadlineMs = NO_DEADLINE;
    receiver.behaviour = answers(200, { arePoliciesVerified: true });
    await expect(ask()).resolves.toHaveLength(1);
  });

  it('bounds the questions of a paymaster, without an effect on other paymasters', async () => {
    const slow = await newReceiver();
    slow.behaviour = () => undefined;
    let settled = 0;
    const count = () => void (settled += 1);
    const hanging = Array.from({ length: 40 }, (_, index) =>
      ask('slow', slow.url, 'POST', `client ${index}`).catch((error: unknown) => error),
    );
    for (const outcome of hanging) void outcome.then(count);
    await ask('other');
    expect(settled).toBe(40 - MAX_QUESTIONS_PER_PAYMASTER);
    await until(() => slow.requests.length >= MAX_QUESTIONS_PER_PAYMASTER, 'all are asked');
    await slow.stop();
    const outcomes = await Promise.all(hanging);
    expect(outcomes).toEqual(outcomes.map(() => reason('WEBHOOK_FAILED')));
    expect(slow.requests).toHaveLength(MAX_QUESTIONS_PER_PAYMASTER);
  });

  it('pauses a server that failed five times in a row', async () => {
    receiver.behaviour = answers(500, {});
    for (let i = 0; i < 7; i++) await expect(ask()).rejects.toEqual(reason('WEBHOOK_FAILED'));
    expect(receiver.requests).toHaveLength(5);
  });

  it('is not paused by questions that its server refuses with 4xx', async () => {
    receiver.behaviour = answers(400, { error: 'what is that?' });
    for (let i = 0; i < 7; i++) await expect(ask()).rejects.toEqual(reason('WEBHOOK_FAILED'));
    receiver.behaviour = answers(200, { arePoliciesVerified: true });
    await expect(ask()).resolves.toHaveLength(1);
    expect(receiver.requests).toHaveLength(8);
  });

  it('does not count a refusal as a failure', async () => {
    receiver.behaviour = answers(200, { arePoliciesVerified: false });
    for (let i = 0; i < 7; i++) await expect(ask()).rejects.toEqual(reason('WEBHOOK_REFUSED'));
    expect(receiver.requests).toHaveLength(7);
  });

  describe('in numbers', () => {
    const samples = async () =>
      (await metrics.render()).split('\n').filter((line) => line.startsWith('paymaster_decision_webhook'));
    /** How often each outcome was counted (only outcomes that occurred), and how many times were measured. */
    const counted = async () => {
      const lines = await samples();
      const outcomes = lines.flatMap((line) => {
        const [, outcome, times] = /outcome="(\w+)"\} ([1-9]\d*)$/.exec(line) ?? [];
        return outcome ? [[outcome, Number(times)] as const] : [];
      });
      const measured = lines.find((line) => line.startsWith('paymaster_decision_webhook_seconds_count '));
      return { ...Object.fromEntries(outcomes), measured: Number(measured?.split(' ')[1]) };
    };
    type Behaviour = WebhookReceiver['behaviour'];

    it.each<[string, Behaviour]>([
      ['allowed', answers(200, { arePoliciesVerified: true })],
      ['refused', answers(200, { arePoliciesVerified: false })],
      ['not_understood', answers(200, { verified: 'yes' })],
      ['not_understood', answers(400, { error: 'what is that?' })],
      ['not_understood', answers(200, { arePoliciesVerified: true, filler: 'x'.repeat(100_000) })],
      ['failed', answers(500, { arePoliciesVerified: true })],
      ['failed', answers(429, {})],
      ['unreachable', (response) => void response.destroy()],
    ])('is %s', async (outcome, behaviour) => {
      receiver.behaviour = behaviour;
      await ask().catch(() => undefined);
      expect(await counted()).toEqual({ [outcome]: 1, measured: 1 });
    });

    it('is timed out, and measured as long as it took', async () => {
      webhooks = new DecisionWebhooks(client, 300, new DecisionMetrics((metrics = new Metrics())));
      receiver.behaviour = () => undefined;
      await ask().catch(() => undefined);
      expect(await counted()).toEqual({ timed_out: 1, measured: 1 });
      expect(await samples()).toContain('paymaster_decision_webhook_seconds_bucket{le="0.25"} 0');
    });

    it('is forbidden if its address is not on the public internet', async () => {
      await ask('a', 'https://10.0.0.1/').catch(() => undefined);
      expect(await counted()).toEqual({ forbidden: 1, measured: 1 });
    });

    it('is forbidden each time, and never counted as resting', async () => {
      for (let i = 0; i < 7; i++) await ask('a', 'https://10.0.0.1/').catch(() => undefined);
      expect(await counted()).toEqual({ forbidden: 7, measured: 7 });
    });

    it('rests, and no request waits for it', async () => {
      receiver.behaviour = answers(500, {});
      for (let i = 0; i < 7; i++) await ask().catch(() => undefined);
      expect(await counted()).toEqual({ failed: 5, resting: 2, measured: 5 });
    });

    it('gets too many questions from all clients, or from one client', async () => {
      receiver.behaviour = () => undefined;
      const asking = [
        ...Array.from({ length: 7 }, () => ask('a', receiver.url, 'POST', 'one client')),
        ...Array.from({ length: MAX_QUESTIONS_PER_PAYMASTER }, (_, n) => ask('a', receiver.url, 'POST', `client ${n}`)),
      ].map((each) => each.catch(() => undefined));
      await until(() => receiver.requests.length === MAX_QUESTIONS_PER_PAYMASTER, 'those that may are asked');
      expect(await counted()).toEqual({ too_many: 7, measured: 0 });
      await receiver.stop();
      await Promise.all(asking);
      expect(await counted()).toEqual({
        ...{ too_many: 7, unreachable: MAX_QUESTIONS_PER_PAYMASTER },
        measured: MAX_QUESTIONS_PER_PAYMASTER,
      });
    });

    it('has the same series for all paymasters and clients', async () => {
      const names = async () => (await samples()).map((line) => line.split(' ')[0]);
      const before = await names();
      for (let n = 0; n < 30; n++) await ask(`paymaster ${n}`, `${receiver.url}/${n}`, 'POST', `client ${n}`);
      expect(await names()).toEqual(before);
      expect(await counted()).toEqual({ allowed: 30, measured: 30 });
    });
  });
});
