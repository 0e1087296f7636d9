import { InvalidParamsError } from '@paymaster/domain';
import { userOperationV06Builder } from '@paymaster/domain/testing';
import { NO_DEADLINE } from '@paymaster/turns';
import { WebhookClient } from '@paymaster/webhooks';
import { WebhookReceiver } from '@paymaster/webhooks/testing';
import { DecisionWebhooks, MAX_QUERY_DATA_LENGTH, MAX_QUESTIONS_PER_CLIENT } from './decision-webhooks.service';

const FIELD = 'params[1].sponsorshipInfo.webhookData';
const question = {
  ...{ webhookData: { value: {}, field: FIELD }, operation: userOperationV06Builder().build(), calls: [] },
  ...{ prechargeWei: 1n, prechargeMicroUsd: undefined },
};

describe('DecisionWebhooks, where one client asks for what makes the server slow', () => {
  let receiver: WebhookReceiver;
  /** Ends the requests that hang. */
  let letGo: () => void;
  let webhooks: DecisionWebhooks;
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    const held: (() => void)[] = [];
    receiver.behaviour = (response, { path }) => {
      const answer = (): void => void response.end('{"arePoliciesVerified":true}');
      if (path.includes('break')) response.writeHead(500).end();
      else if (path.includes('slow')) held.push(answer);
      else answer();
    };
    letGo = () => held.splice(0).forEach((answer) => answer());
    const client = new WebhookClient({ signingKey: new Uint8Array(32).fill(3), allowInsecure: true });
    // Only the requests that the test holds are slow.
    webhooks = new DecisionWebhooks(client, 60_000);
  });
  afterEach(() => receiver.stop());

  interface Asked {
    readonly path?: string;
    readonly servers?: number;
    readonly method?: 'GET' | 'POST';
    readonly data?: unknown;
  }
  const ask = (client: string | undefined, { path = '/', servers = 1, method = 'POST', data = {} }: Asked = {}) =>
    webhooks.confirm({
      ...{ paymasterId: 'a', client, deadlineMs: NO_DEADLINE },
      question: { ...question, webhookData: { value: data, field: FIELD } },
      webhooks: Array.from({ length: servers }, (_, index) => ({
        ...{ webhookId: `hook-${index}`, url: `${receiver.url}${path}`, method },
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

  it('bounds no client if the owner lets one client have all', async () => {
    const slow = Array.from({ length: 12 }, () => reasonOf(ask(undefined, { path: '/slow' })));
    while (receiver.requests.length < slow.length) await new Promise((resolve) => setTimeout(resolve, 5));
    letGo();
    expect(await Promise.all(slow)).toEqual(slow.map(() => 'verified'));
  });

  it('lets a client ask more servers than that for one operation', async () => {
    expect(await reasonOf(ask('client', { servers: MAX_QUESTIONS_PER_CLIENT + 2 }))).toBe('verified');
    const both = [ask('client', { servers: 5 }), ask('client', { servers: 5 })].map(reasonOf);
    expect((await Promise.all(both)).sort()).toEqual(['WEBHOOK_FAILED', 'verified']);
  });

  it('refuses data that is too long for a URL, without an effect on other clients', async () => {
    for (const length of [MAX_QUERY_DATA_LENGTH, 100_000]) {
      for (let times = 0; times < 7; times++) {
        const asked = ask('stranger', { method: 'GET', data: { note: 'a'.repeat(length) } });
        await expect(asked).rejects.toThrow(InvalidParamsError);
        await expect(asked).rejects.toMatchObject({ details: { field: FIELD } });
      }
    }
    // When escaped, each of these characters takes nine characters of a URL.
    await expect(ask('stranger', { method: 'GET', data: { note: '€'.repeat(300) } })).rejects.toMatchObject({
      details: { field: FIELD },
    });
    expect(receiver.requests).toHaveLength(0);
    for (const client of ['stranger', 'client'])
      expect(await reasonOf(ask(client, { method: 'GET' }))).toBe('verified');
    expect(await reasonOf(ask('stranger', { data: { note: 'a'.repeat(100_000) } }))).toBe('verified');
  });

  it.each(['GET', 'POST'] as const)('passes on any JSON by %s', async (method) => {
    const data = { '\ud800': ['\udfff\0', { deep: [[[{ '&data={}#?': '+ %00\r\n' }]]] }], data: null };
    await ask('client', { method, path: '/?data=1&more=2', data });
    const [{ path, body } = { path: '', body: '' }] = receiver.requests;
    const query = new URL(path, receiver.url).searchParams;
    expect(query.get('more')).toBe('2');
    const got: unknown = method === 'GET' ? JSON.parse(query.get('data') ?? '') : JSON.parse(body).data;
    expect(got).toEqual(data);
  });

  it('pauses only the client whose questions make the server fail', async () => {
    for (let times = 0; times < 7; times++)
      expect(await reasonOf(ask('stranger', { path: '/break' }))).toBe('WEBHOOK_FAILED');
    expect(receiver.requests).toHaveLength(5);
    expect(await reasonOf(ask('client'))).toBe('verified');
    expect(await reasonOf(ask('stranger'))).toBe('WEBHOOK_FAILED');
    expect(receiver.requests).toHaveLength(6);
  });
});
