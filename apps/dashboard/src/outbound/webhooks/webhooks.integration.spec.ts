import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { randomAddress, until } from '@paymaster/domain/testing';
import { apiKeyIndex, type VoidedEvent, type WalletBrakedEvent } from '@paymaster/messaging';
import { isWebhookSignature } from '@paymaster/webhooks';
import { answers, WebhookReceiver, type Behaviour } from '@paymaster/webhooks/testing';
import { PolicySnapshotsRepository } from '../policy-snapshots/policy-snapshots.repository';
import {
  CHAIN_ID,
  databaseOf,
  INDEX_KEY,
  startDashboard,
  type DashboardUnderTest,
} from '../../testing/dashboard-under-test';
import { createPaymaster, type Keys, paymasterBody, paymasterIdOf, refusal } from '../../testing/requests';
import { DeliveriesRepository } from './deliveries.repository';

type Shown = Readonly<Record<string, unknown>>;

/** As in DeliveriesWorker. */
const MAX_WEBHOOKS_OF_AN_ACCOUNT = 4;

let dashboard: DashboardUnderTest;
let receiver: WebhookReceiver;
const receivers: WebhookReceiver[] = [];
let keys: Keys;
beforeAll(async () => {
  const env = { WEBHOOK_SIGNING_KEY: '33'.repeat(32), WEBHOOK_ALLOW_INSECURE: 'true' };
  dashboard = await startDashboard({ env });
});
beforeEach(async () => {
  keys = await createPaymaster(dashboard);
  receiver = await startReceiver();
});
afterEach(async () => {
  // What is still due to a receiver that is gone is not told to the next one, which may get its port.
  await databaseOf(dashboard).query('UPDATE dashboard.webhooks SET active = false');
  await Promise.all(receivers.splice(0).map((each) => each.stop()));
});
afterAll(() => dashboard.stop());

async function startReceiver(): Promise<WebhookReceiver> {
  const started = await WebhookReceiver.start();
  receivers.push(started);
  return started;
}

/** A receiver that never answers, and how many wait for it at once. */
async function startHangingReceiver(): Promise<WebhookReceiver & { readonly waiting: { now: number; most: number } }> {
  const waiting = { now: 0, most: 0 };
  const hanging = await startReceiver();
  hanging.behaviour = (response) => {
    waiting.now += 1;
    waiting.most = Math.max(waiting.most, waiting.now);
    response.once('close', () => (waiting.now -= 1));
  };
  return Object.assign(hanging, { waiting });
}

const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path = '', body?: object, by = keys) =>
  dashboard.call({ method, path: `/webhook${path}`, ...by, body });
const list = async () => (await send('GET')).body.data as unknown as Shown[];

async function create(body: object = {}): Promise<{ id: string; secrets: string[] }> {
  const { body: answer } = await send('POST', '', { webhookUrl: receiver.url, requestType: 'POST', ...body });
  expect(answer.message).toBe('Webhook created');
  return { id: String(answer.data?.['webhookId']), secrets: answer.data?.['secrets'] as string[] };
}

async function policiesInSnapshot() {
  const index = apiKeyIndex(keys.apiKey, INDEX_KEY);
  const found = await dashboard.app.get(PolicySnapshotsRepository).find({ chainId: CHAIN_ID, indexes: [index] });
  return found?.policy.policies ?? [];
}

const happen = async (of = keys): Promise<VoidedEvent> => {
  const voided: VoidedEvent = {
    ...{ kind: 'voided', eventId: randomUUID(), atMs: 1_770_000_000_000, chainId: CHAIN_ID },
    ...{
      paymasterId: await paymasterIdOf(dashboard, of),
      reservationId: '5',
      mode: 'sponsored',
      sender: randomAddress(),
    },
    ...{ nonce: '1', entryPointVersion: '0.7', because: 'expired', releasedWei: '9' },
  };
  await dashboard.app.get(DeliveriesRepository).enqueueEvent(voided);
  return voided;
};
const stop = async (): Promise<void> => {
  const address = randomAddress();
  const braked: WalletBrakedEvent = {
    ...{ kind: 'walletBraked', eventId: randomUUID(), atMs: 1_770_000_000_000, chainId: CHAIN_ID },
    ...{ paymasterId: await paymasterIdOf(dashboard, keys), contract: address, fundingWallet: address },
    ...{ lostWei: '5', leftWei: '5', releasedAtMs: 0 },
  };
  await dashboard.app.get(DeliveriesRepository).enqueueEvent(braked);
};
const deliveries = async (id: string) =>
  (await send('GET', `/deliveries?webhookId=${id}`)).body.data as unknown as Shown[];
const setActive = (id: string, active: boolean) => send('PATCH', '', { webhookId: id, active });

/** Answers so, and lets the owner pause the webhook before: it is told nothing more until it goes on. */
const answersOnce = (id: string, status: number, body: object): Behaviour => {
  const answer = answers(status, body);
  return (response, request) => void setActive(id, false).then(() => answer(response, request));
};

/** The next attempt is due, and the webhook goes on. */
async function tryAgain(id: string): Promise<void> {
  await databaseOf(dashboard).query(
    'UPDATE dashboard.webhook_deliveries SET next_attempt_at = now() WHERE webhook_id = $1',
    [id],
  );
  await setActive(id, true);
}

describe('a webhook for decisions', () => {
  it('is created, shown, paused and deleted with the sentences that API users know', async () => {
    const { id } = await create({ requestType: 'GET' });
    const shown = { webhookId: id, webhookUrl: `${receiver.url}/`, requestType: 'GET' };
    expect((await send('GET', `?webhookId=${id}`)).body).toMatchObject({
      message: 'Webhook list fetched',
      data: [{ ...shown, active: true, events: [] }],
    });
    expect((await send('PATCH', '', { webhookId: id, active: false })).body).toEqual({
      statusCode: 200,
      message: 'Webhook updated',
    });
    expect(await list()).toEqual([expect.objectContaining({ active: false })]);
    expect((await send('DELETE', '', { webhookId: id })).body).toEqual({ statusCode: 200, message: 'Webhook deleted' });
    expect(await list()).toEqual([]);
    expect((await send('PATCH', '', { webhookId: id, active: true })).body).toEqual(
      refusal(404, 'WEBHOOK_NOT_FOUND', 'Webhook not found'),
    );
  });

  it('is asked by the gateway while it is active, with the secrets in force', async () => {
    const { id } = await create();
    expect(await policiesInSnapshot()).toEqual([
      expect.objectContaining({
        type: 'WEBHOOK',
        webhook: expect.objectContaining({ webhookId: id, secretVersions: [1] }),
      }),
    ]);
    await send('POST', '/rotate', { webhookId: id });
    expect(await policiesInSnapshot()).toEqual([
      expect.objectContaining({ webhook: expect.objectContaining({ secretVersions: [2, 1] }) }),
    ]);
    await send('PATCH', '', { webhookId: id, active: false });
    expect(await policiesInSnapshot()).toEqual([]);
  });

  it('keeps the old secret for a day after a rotation, and then no longer', async () => {
    const { id, secrets } = await create();
    const rotated = (await send('POST', '/rotate', { webhookId: id })).body.data?.['secrets'];
    expect(rotated).toEqual([expect.not.stringContaining(String(secrets[0])), secrets[0]]);
    await databaseOf(dashboard).query(
      `UPDATE dashboard.webhook_secrets SET previous_valid_until = now() - interval '1 s' WHERE webhook_id = $1`,
      [id],
    );
    const later = (await send('GET', `/secrets?webhookId=${id}`)).body.data?.['secrets'];
    expect(later).toEqual([(rotated as string[])[0]]);
  });

  it('rotates the secret of a WEBHOOK policy as well', async () => {
    const { body } = await dashboard.call({
      ...{ method: 'POST', path: '/paymaster-policy', ...keys },
      body: { name: 'ask', policyType: 'WEBHOOK', policyData: { url: receiver.url } },
    });
    await send('POST', '/rotate', { webhookId: body.data?.['_id'] });
    expect(await policiesInSnapshot()).toEqual([
      expect.objectContaining({ webhook: expect.objectContaining({ secretVersions: [2, 1] }) }),
    ]);
  });

  it.each([
    [{ webhookUrl: 5 }, 'webhookUrl must be a string'],
    [{ webhookUrl: 'ftp://example.org' }, "webhookUrl is refused: the webhook's URL is not https"],
    [{ requestType: 'PUT' }, 'requestType must be one of the following values: GET, POST'],
    [{ events: ['granted'], requestType: 'GET' }, 'requestType must be POST for a webhook with events'],
    [{ events: ['nonsense'] }, 'each value in events must be one of the following values'],
    [{ events: 'granted' }, 'events must be an array'],
    [{ active: 'yes' }, 'active must be a boolean value'],
    [{ lowBalanceHours: 0 }, 'lowBalanceHours must not be less than 1'],
  ])('refuses %j', async (change, message) => {
    const answer = await send('POST', '', { webhookUrl: receiver.url, requestType: 'POST', ...change });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(message);
    expect(await list()).toEqual([]);
  });

  it('can be had ten times, also when they are created at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 13 }, () => send('POST', '', { webhookUrl: receiver.url, requestType: 'POST' })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.find(({ status }) => status !== 200)?.body).toEqual(
      refusal(400, 'LIMIT_REACHED', 'A paymaster can have at most 10 webhooks'),
    );
  });

  it('looks unknown to every other paymaster', async () => {
    const { id } = await create();
    const other = await createPaymaster(dashboard);
    for (const answer of [
      await send('GET', `?webhookId=${id}`, undefined, other),
      await send('PATCH', '', { webhookId: id, active: false }, other),
      await send('DELETE', '', { webhookId: id }, other),
      await send('GET', `/secrets?webhookId=${id}`, undefined, other),
      await send('POST', '/rotate', { webhookId: id }, other),
      await send('GET', `/deliveries?webhookId=${id}`, undefined, other),
      await send('POST', '/replay', { webhookId: id }, other),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { message: 'Webhook not found' } });
    }
  });
});

describe('a webhook for events', () => {
  it('is told once what it wants to hear, signed so that it can check', async () => {
    const { id, secrets } = await create({ events: ['voided'] });
    const event = await happen();
    await dashboard.app.get(DeliveriesRepository).enqueueEvent(event);
    await until(async () => receiver.requests.length > 0);
    await until(async () => (await deliveries(id))[0]?.['status'] === 'delivered');
    const [got] = receiver.requests;
    expect(JSON.parse(got?.body ?? '')).toMatchObject({
      type: 'operation.voided',
      data: { paymasterId: event.paymasterId, chainId: CHAIN_ID, sender: event.sender, because: 'expired' },
    });
    const message = {
      id: event.eventId,
      timestampSeconds: Number(got?.headers['webhook-timestamp']),
      body: got?.body ?? '',
    };
    expect(got?.headers['webhook-id']).toBe(event.eventId);
    expect(isWebhookSignature(String(got?.headers['webhook-signature']), message, secrets)).toBe(true);
    expect(await deliveries(id)).toEqual([
      expect.objectContaining({ attempts: 1, lastStatus: 200, nextAttemptAt: null, type: 'operation.voided' }),
    ]);
    expect(receiver.requests).toHaveLength(1);
  });

  it('is told what bundlers did with an operation, and why', async () => {
    const { id } = await create({ events: ['bundlerRefused', 'dropped'] });
    const { because: _, releasedWei: __, ...operation } = await happen();
    const { paymasterId, sender } = operation;
    const userOpHash = `0x${'22'.repeat(32)}`;
    for (const [kind, message] of [
      ['sent', null],
      ['bundlerRefused', 'AA21'],
    ] as const) {
      const event = { ...operation, kind, eventId: randomUUID(), userOpHash, bundler: 'alto', message };
      await dashboard.app.get(DeliveriesRepository).enqueueEvent(event);
    }
    await until(async () => (await deliveries(id))[0]?.['status'] === 'delivered');
    expect(receiver.requests.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
      { type: 'operation.bundlerRefused', data: { paymasterId, sender, userOpHash, bundler: 'alto', message: 'AA21' } },
    ]);
  });

  it('is not told what it did not ask for, and is not asked for decisions', async () => {
    const { id } = await create({ events: ['settled'] });
    await happen();
    expect(await deliveries(id)).toEqual([]);
    expect(await policiesInSnapshot()).toEqual([]);
  });

  it('is told again after a failure, and the log says what was wrong', async () => {
    const { id } = await create({ events: ['voided'] });
    receiver.behaviour = answersOnce(id, 500, { error: 'try later' });
    const before = Date.now();
    await happen();
    await until(async () => (await deliveries(id))[0]?.['lastStatus'] === 500);
    const [failed] = await deliveries(id);
    expect(failed).toMatchObject({ status: 'pending', attempts: 1, lastAnswer: '{"error":"try later"}' });
    expect(Date.parse(String(failed?.['nextAttemptAt']))).toBeGreaterThanOrEqual(before + 5_000);
    receiver.behaviour = answers(204, '');
    await tryAgain(id);
    await until(async () => (await deliveries(id))[0]?.['status'] === 'delivered');
    expect(await deliveries(id)).toEqual([expect.objectContaining({ attempts: 2, lastStatus: 204 })]);
  });

  it('is dead after the last attempt, and told again when its owner says so', async () => {
    const { id } = await create({ events: ['voided'] });
    receiver.behaviour = answersOnce(id, 410, {});
    await happen();
    await until(async () => (await deliveries(id))[0]?.['lastStatus'] === 410);
    await databaseOf(dashboard).query('UPDATE dashboard.webhook_deliveries SET attempts = 7 WHERE webhook_id = $1', [
      id,
    ]);
    receiver.behaviour = answers(410, {});
    await tryAgain(id);
    await until(async () => (await deliveries(id))[0]?.['status'] === 'dead');
    receiver.behaviour = answers(200, {});
    expect((await send('POST', '/replay', { webhookId: id })).body.data).toEqual({ replayed: 1 });
    await until(async () => (await deliveries(id))[0]?.['status'] === 'delivered');
    expect((await send('POST', '/replay', { webhookId: id })).body.data).toEqual({ replayed: 0 });
  });

  it('is told in time, though another account has more that hang than are served at once', async () => {
    const slow = await startHangingReceiver();
    const { authToken } = await createPaymaster(dashboard);
    for (let paymaster = 0; paymaster < 4; paymaster++) {
      const made = await dashboard.call({ method: 'POST', path: '/paymaster', authToken, body: paymasterBody() });
      const hostile = { authToken, apiKey: String(made.body.data?.['apiKey']) };
      for (let webhook = 0; webhook < 10; webhook++) {
        await send('POST', '', { webhookUrl: slow.url, requestType: 'POST', events: ['voided'] }, hostile);
      }
      await happen(hostile);
    }
    await until(() => slow.waiting.now === MAX_WEBHOOKS_OF_AN_ACCOUNT);
    const { id } = await create({ events: ['voided'] });
    await happen();
    await until(async () => (await deliveries(id))[0]?.['status'] === 'delivered');
    expect(slow.waiting.most).toBe(MAX_WEBHOOKS_OF_AN_ACCOUNT);
  });

  it('is told of its wallet first, however much strangers have it told of operations', async () => {
    const { id } = await create({ events: ['voided', 'walletBraked'] });
    const waiting: ServerResponse[] = [];
    receiver.behaviour = (response) => void waiting.push(response);
    await happen();
    await until(() => waiting.length === 1);
    for (let count = 0; count < 2; count++) await happen();
    await stop();
    receiver.behaviour = answersOnce(id, 500, {});
    waiting[0]?.end();
    await until(async () => (await deliveries(id)).some(({ lastStatus }) => lastStatus === 500));
    receiver.behaviour = answers(200, {});
    await tryAgain(id);
    await until(async () => (await deliveries(id)).every(({ status }) => status === 'delivered'));
    const told = receiver.requests.map(({ body }) => (JSON.parse(body) as { type: string }).type);
    // Also after a failure.
    const [operation, wallet] = ['operation.voided', 'wallet.braked'];
    expect(told).toEqual([operation, wallet, wallet, operation, operation]);
  });

  it('that hangs holds up no other', async () => {
    const slow = await startHangingReceiver();
    await create({ events: ['voided'], webhookUrl: slow.url });
    const { id } = await create({ events: ['voided'] });
    for (let i = 0; i < 5; i++) await happen();
    await until(() => slow.waiting.now === 1);
    await until(async () => (await deliveries(id)).every(({ status }) => status === 'delivered'));
    expect(receiver.requests).toHaveLength(5);
    expect(slow.waiting.most).toBe(1);
  });
});

// Each may read hundreds of thousands of rows, and all tenants share the connections to the database.
it.each(['log', 'replay'] as const)('does the %s of deliveries of one account one request at a time', async (work) => {
  const { id } = await create({ events: ['voided'] });
  const repository = dashboard.app.get(DeliveriesRepository);
  const original = repository[work].bind(repository) as (query: never) => Promise<unknown>;
  let underWay = 0;
  let most = 0;
  const watched = jest.spyOn(repository, work).mockImplementation((async (query: never) => {
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return original(query).finally(() => (underWay -= 1));
  }) as never);
  const ask = () =>
    work === 'log'
      ? send('GET', `/deliveries?webhookId=${id}&status=dead`)
      : send('POST', '/replay', { webhookId: id });
  const answered = await Promise.all(Array.from({ length: 5 }, ask)).finally(() => watched.mockRestore());
  expect(answered.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(most).toBe(1);
});

describe('a test event', () => {
  it('is sent once, signed, also to a paused webhook, and shows what the server said', async () => {
    const { id, secrets } = await create({ events: ['settled'], active: false });
    receiver.behaviour = answers(418, 'short and stout');
    const { body } = await send('POST', '/test', { webhookId: id });
    expect(body).toMatchObject({
      message: 'Webhook tested',
      data: { delivered: false, status: 418, answer: '"short and stout"', problem: null, tookMs: expect.any(Number) },
    });
    expect(receiver.requests).toHaveLength(1);
    const [request] = receiver.requests;
    expect(JSON.parse(String(request?.body))).toMatchObject({
      type: 'webhook.test',
      data: { paymasterId: await paymasterIdOf(dashboard, keys), chainId: CHAIN_ID },
    });
    const message = {
      id: String(request?.headers['webhook-id']),
      timestampSeconds: Number(request?.headers['webhook-timestamp']),
    };
    const signature = String(request?.headers['webhook-signature']);
    expect(isWebhookSignature(signature, { ...message, body: String(request?.body) }, secrets)).toBe(true);
    expect((await send('GET', `/deliveries?webhookId=${id}`)).body.data).toEqual([]);
  });

  it('says why there is no answer', async () => {
    const { id } = await create({ events: ['settled'] });
    await receiver.stop();
    expect((await send('POST', '/test', { webhookId: id })).body.data).toMatchObject({
      ...{ delivered: false, status: null, answer: null, problem: expect.any(String) },
    });
  });

  it('is not sent to a webhook that is asked for decisions', async () => {
    const { id } = await create();
    expect(await send('POST', '/test', { webhookId: id })).toMatchObject({
      ...{ status: 400, body: refusal(400, 'INVALID_BODY', 'webhookId must be that of a webhook with events') },
    });
    expect(receiver.requests).toEqual([]);
  });
});
