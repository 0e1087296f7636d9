import { freshAccount } from './support/account';
import { call, type Answer } from './support/dashboard-client';
import { expectRefusal, freshPaymaster, only, type Keys } from './support/fixtures';
import { UUID } from './support/policies';

const NOT_FOUND = 'Webhook not found';
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const DECIDES = { webhookUrl: 'https://hooks.example.org/paymaster', requestType: 'POST' };
const SECRET = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/;

interface Webhook {
  readonly webhookId: string;
  readonly secrets: readonly string[];
}

let keys: Keys;
beforeEach(async () => {
  keys = only(await freshPaymaster((await freshAccount()).authToken));
});

interface WebhookCall {
  readonly method: string;
  /** After /webhook. */
  readonly path?: string;
  readonly body?: object;
  readonly by?: Keys;
}

const send = <T = unknown>({ method, path = '', body, by = keys }: WebhookCall): Promise<Answer<T>> =>
  call<T>({ method, path: `/webhook${path}`, ...by, body });
const create = async (body: object = DECIDES) => (await send<Webhook>({ method: 'POST', body })).body.data;

describe('the webhook operations', () => {
  it('create one that is asked for decisions, and show its secret', async () => {
    const answer = await send<Webhook>({ method: 'POST', body: DECIDES });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      statusCode: 200,
      message: 'Webhook created',
      data: {
        ...{ ...DECIDES, active: true, events: [], lowBalanceHours: null },
        webhookId: expect.stringMatching(UUID),
        secrets: [expect.stringMatching(SECRET)],
      },
    });
  });

  it.each(['webhookId', 'secret', 'secrets'])('refuse %s, which they choose themselves', async (field) => {
    const answer = await send({ method: 'POST', body: { ...DECIDES, [field]: UNKNOWN_ID } });
    expectRefusal(answer, 400, `property ${field} should not exist`);
  });

  it('list webhooks without their secrets, or show one', async () => {
    const first = await create();
    const events = ['settled', 'walletLow'];
    const { secrets: _, ...told } = await create({ ...DECIDES, events, lowBalanceHours: 48 });
    expect(told).toMatchObject({ events, lowBalanceHours: 48 });
    const all = await send<Webhook[]>({ method: 'GET' });
    expect(all.body).toMatchObject({ statusCode: 200, message: 'Webhook list fetched' });
    expect(all.body.data.map(({ webhookId }) => webhookId)).toEqual([first.webhookId, told.webhookId]);
    expect(JSON.stringify(all.body)).not.toContain('whsec_');
    const one = await send({ method: 'GET', path: `?webhookId=${told.webhookId}` });
    expect(one.body.data).toEqual([told]);
  });

  it('pause a webhook, and delete it', async () => {
    const { webhookId } = await create();
    const paused = await send({ method: 'PATCH', body: { webhookId, active: false } });
    expect(paused.body).toEqual({ statusCode: 200, message: 'Webhook updated' });
    expect((await send({ method: 'GET' })).body.data).toMatchObject([{ webhookId, active: false }]);
    const deleted = await send({ method: 'DELETE', body: { webhookId } });
    expect(deleted.body).toEqual({ statusCode: 200, message: 'Webhook deleted' });
    expect((await send({ method: 'GET' })).body.data).toEqual([]);
  });

  it('rotate the secret, and show both while both are in force', async () => {
    const { webhookId, secrets } = await create();
    const rotated = await send<Webhook>({ method: 'POST', path: '/rotate', body: { webhookId } });
    const both = [expect.stringMatching(SECRET), ...secrets];
    expect(rotated.body).toEqual({
      statusCode: 200,
      message: 'Webhook secret rotated',
      data: { webhookId, secrets: both },
    });
    const shown = await send<Webhook>({ method: 'GET', path: `/secrets?webhookId=${webhookId}` });
    expect(shown.body).toEqual({
      statusCode: 200,
      message: 'Webhook secrets fetched',
      data: { webhookId, secrets: both },
    });
    expect(new Set(shown.body.data.secrets).size).toBe(2);
  });

  it('show the deliveries of a webhook, and send them again', async () => {
    const { webhookId } = await create({ ...DECIDES, events: ['settled'] });
    const log = await send({ method: 'GET', path: `/deliveries?webhookId=${webhookId}&status=dead` });
    expect(log.body).toEqual({ statusCode: 200, message: 'Webhook deliveries fetched', data: [] });
    const replayed = await send({ method: 'POST', path: '/replay', body: { webhookId } });
    expect(replayed.body).toEqual({ statusCode: 200, message: 'Webhook deliveries replayed', data: { replayed: 0 } });
  });
});

// The local world lets webhooks have local addresses; that others are refused is in libs/webhooks.
describe('the webhook operations refuse', () => {
  it.each<[string, object, RegExp]>([
    ['no address', { webhookUrl: undefined }, /^webhookUrl must be/],
    ['an address that is no text', { webhookUrl: 5 }, /^webhookUrl must be/],
    ['another scheme', { webhookUrl: 'file:///etc/passwd' }, /webhookUrl/],
    ['a name and a password in the address', { webhookUrl: 'https://a:b@hooks.example.org/' }, /webhookUrl/],
    ['an address that is too long', { webhookUrl: `https://hooks.example.org/${'x'.repeat(5_000)}` }, /webhookUrl/],
    ['another method', { requestType: 'PUT' }, /^requestType must be one of/],
    ['an unknown event', { events: ['exploded'] }, /events/],
    ['an event twice', { events: ['settled', 'settled'] }, /events/],
    ['events that are no list', { events: 'settled' }, /events/],
    ['active that is no switch', { active: 'yes' }, /^active must be/],
    ['hours out of range', { events: ['walletLow'], lowBalanceHours: 0 }, /lowBalanceHours/],
  ])('%s', async (_title, change, sentence) => {
    const answer = await send({ method: 'POST', body: { ...DECIDES, ...change } });
    expectRefusal(answer, 400, expect.stringMatching(sentence) as unknown as string);
    expect((await send({ method: 'GET' })).body.data).toEqual([]);
  });

  const operationsOn = (webhookId: string): WebhookCall[] => [
    { method: 'GET', path: `?webhookId=${encodeURIComponent(webhookId)}` },
    { method: 'GET', path: `/secrets?webhookId=${encodeURIComponent(webhookId)}` },
    { method: 'GET', path: `/deliveries?webhookId=${encodeURIComponent(webhookId)}` },
    { method: 'PATCH', body: { webhookId, active: false } },
    { method: 'DELETE', body: { webhookId } },
    { method: 'POST', path: '/rotate', body: { webhookId } },
    { method: 'POST', path: '/replay', body: { webhookId } },
  ];

  it.each([UNKNOWN_ID, 'x', '', "' OR 1=1--", '\0', 'x'.repeat(90)])(
    'the webhook %j, which is not there',
    async (id) => {
      for (const request of operationsOn(id)) expectRefusal(await send(request), 404, NOT_FOUND);
    },
  );

  it('the webhook of another account as one that is not there, and leave it as it is', async () => {
    const { webhookId } = await create();
    const owners = await send({ method: 'GET' });
    const by = only(await freshPaymaster((await freshAccount()).authToken));
    for (const request of operationsOn(webhookId)) expectRefusal(await send({ ...request, by }), 404, NOT_FOUND);
    expect((await send({ method: 'GET' })).body).toEqual(owners.body);
  });

  it('what they do not understand of a query or an id', async () => {
    const { webhookId } = await create();
    const path = `/deliveries?webhookId=${webhookId}&status=lost`;
    expect((await send({ method: 'GET', path })).body).toMatchObject({
      statusCode: 400,
      message: expect.stringMatching(/^status must be one of /),
    });
    const body = { webhookId, deliveryId: 'x' };
    expectRefusal(await send({ method: 'POST', path: '/replay', body }), 400, 'deliveryId must be a UUID');
  });
});
