import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEV_KEYS } from '@paymaster/devnet';
import { normalizeAddress } from '@paymaster/domain';
import { randomAddress, until } from '@paymaster/domain/testing';
import { Metrics } from '@paymaster/nest-kit';
import { startDashboardProcess, type DashboardProcess, type OwnerRequest } from './testing/dashboard-process';
import { startGatewayWorld, type GatewayWorld } from './testing/gateway-world';
import { call, executeCall, sponsoredMode, wireOperationV07 } from './testing/rpc-call';

const ENV = { API_KEY_INDEX_KEY: '11'.repeat(32) };

let world: GatewayWorld;
let dashboard: DashboardProcess;
const closers: Array<() => unknown> = [];

beforeAll(async () => {
  world = await startGatewayWorld({ env: { ...ENV, TRUSTED_PROXIES: '1' } });
  closers.push(() => world.stop());
  dashboard = await startDashboardProcess(world, { env: ENV });
  closers.push(() => dashboard.stop());
}, 240_000);
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

interface Owner {
  readonly keys: { readonly authToken: string; readonly apiKey: string };
  readonly paymasterId: string;
  /** Sends a request to a gateway, from a client of its own unless one is named. */
  send(method: string, params: readonly unknown[], sent?: { url?: string; headers?: object }): Promise<string>;
}

let made = 0;
/** A paymaster with a funded wallet, which sponsors nothing yet. */
async function newOwner(): Promise<Owner> {
  const authToken = await dashboard.createAccount(`logged ${++made}`);
  const body = { name: `logged ${made}`, type: 'HYBRID', chainId: 31337, version: '1.1.0' };
  const apiKey = String((await ask({ method: 'POST', path: '/paymaster', keys: { authToken }, body }))['apiKey']);
  const [row] = await world.ledger.rows<{ id: string }>(
    'UPDATE dashboard.paymasters SET funding_wallet = $1 WHERE name = $2 RETURNING id',
    [normalizeAddress(DEV_KEYS.fundingWallet.address), body.name],
  );
  return {
    ...{ keys: { authToken, apiKey }, paymasterId: String(row?.id) },
    async send(method, params, { url = world.url, headers = {} } = {}) {
      const requestId = `r-${randomBytes(8).toString('hex')}`;
      const more = { 'x-forwarded-for': randomClient(), 'x-request-id': requestId, ...headers };
      await call(`${url}/api/v1/31337/${apiKey}`, method, params, more);
      return requestId;
    },
  };
}

const randomClient = () => [198, ...randomBytes(3)].join('.');
const ask = (request: OwnerRequest) => dashboard.ask(request);
const demoCall = () => wireOperationV07(executeCall({ to: world.demo.address, data: world.demo.callData }));
const strangeCall = () => wireOperationV07(executeCall({ to: randomAddress(), data: '0x12345678' }));
const set = ({ keys }: Owner, body: object) => ask({ method: 'PATCH', path: '/paymaster-settings', keys, body });

interface Listed {
  readonly entries: readonly (Record<string, unknown> & { readonly id: string })[];
  readonly leftOut: number;
}
const listed = async ({ keys }: Owner, filter = ''): Promise<Listed> =>
  (await ask({ method: 'GET', path: `/request-log${filter}`, keys })) as unknown as Listed;
/** The entry of a request, once it is there, with its operation. */
async function entryOf(owner: Owner, requestId: string): Promise<Record<string, unknown>> {
  const find = () => listed(owner, `?requestId=${requestId}`);
  await until(async () => (await find()).entries.length > 0);
  const [entry] = (await find()).entries;
  return ask({ method: 'GET', path: `/request-log/${entry?.id}`, keys: owner.keys });
}
const metric = async (sample: string) => {
  const lines = (await world.app.get(Metrics, { strict: false }).render()).split('\n');
  return Number(lines.find((line) => line.startsWith(`${sample} `))?.slice(sample.length + 1) ?? 0);
};

describe('a request that is refused', () => {
  it('is found by its id, and its operation is explained: refused now, and sponsored once the owner has seen to it', async () => {
    const owner = await newOwner();
    const operation = demoCall();
    const entry = await entryOf(owner, await owner.send('pm_sponsorUserOperation', [operation, sponsoredMode()]));
    const { signature: _signature, ...inputs } = operation;
    expect(entry).toMatchObject({
      ...{ method: 'pm_sponsorUserOperation', mode: 'sponsored', outcome: 'refused', code: -32501, keyId: null },
      ...{ reason: 'NO_POLICIES_SET', message: expect.stringMatching(/No policies were set/), chainId: 31337 },
      ...{ sender: operation['sender'], userOperation: inputs, durationMs: expect.any(Number) },
      entryPoint: expect.stringMatching(/^0x[0-9a-f]{40}$/),
    });
    const explain = () => {
      const body = { userOperation: entry['userOperation'], entryPoint: entry['entryPoint'] };
      return ask({ method: 'POST', path: '/explain', keys: owner.keys, body });
    };
    expect(await explain()).toMatchObject({ sponsored: false, reason: entry['reason'] });
    await set(owner, { sponsorAnyContract: true });
    await until(async () => (await explain())['sponsored'] === true);
  });

  it('is kept also where its params, its page or its method are wrong, and where its user pays', async () => {
    const owner = await newOwner();
    await set(owner, { allowedOrigins: ['https://app.example.org'] });
    const page = { headers: { origin: 'https://evil.example' } };
    const origin = await entryOf(
      owner,
      await owner.send('pm_sponsorUserOperation', [demoCall(), sponsoredMode()], page),
    );
    expect(origin).toMatchObject({
      reason: 'ORIGIN_NOT_ALLOWED',
      outcome: 'refused',
      userOperation: { nonce: expect.any(String) },
    });
    const wrong = await entryOf(owner, await owner.send('pm_getPaymasterData', [{ sender: 'me' }]));
    expect(wrong).toMatchObject({ code: -32602, outcome: 'invalid', sender: null, userOperation: null, mode: 'none' });
    await set(owner, { onRefusal: 'userPays' });
    await until(async () => {
      const paid = await owner.send('pm_sponsorUserOperation', [strangeCall(), sponsoredMode()]);
      return (await entryOf(owner, paid))['reason'] === 'USER_PAYS';
    });
  });

  it('leaves no secret in the database', async () => {
    const owner = await newOwner();
    const { apiKey, authToken } = owner.keys;
    const canary = `canary${randomBytes(12).toString('hex')}`;
    const url = `https://user:${canary}@rpc.example/${canary}?key=${canary}`;
    const operation: Record<string, unknown> = {
      ...{ ...demoCall(), paymasterData: `0x${canary}`, note: canary, factoryData: apiKey },
    };
    const mode = sponsoredMode({ sponsorshipInfo: { webhookData: { url, authToken, apiKey }, smartAccountInfo: {} } });
    const hidden = ['sponsorshipInfo', 'SPONSORED'].map((name) => ({ [name]: url, [apiKey]: authToken }));
    for (const params of [[operation, mode], [demoCall(), mode], [operation, ...hidden], [url, apiKey], [[canary]]]) {
      const headers = { 'x-api-key': apiKey, authorization: `Bearer ${canary}`, 'x-request-id': apiKey };
      await owner.send('pm_sponsorUserOperation', params, { headers });
      await owner.send('pm_getPaymasterData', params, { headers: { 'x-session-token': canary } });
    }
    await until(async () => (await listed(owner)).entries.length >= 10);
    const rows = await world.ledger.rows<{ text: string }>(
      'SELECT to_json(r)::text AS text FROM dashboard.request_log r',
    );
    const kept = rows.map(({ text }) => text).join('\n');
    for (const secret of [
      canary,
      apiKey,
      authToken,
      String(demoCall()['signature']).slice(0, 20),
      String(operation['signature']),
    ]) {
      expect(kept).not.toContain(secret);
    }
  });
});

describe('a request that is signed', () => {
  it('is kept only where its owner wants a sample', async () => {
    const owner = await newOwner();
    await set(owner, { sponsorAnyContract: true });
    const sign = () => owner.send('pm_sponsorUserOperation', [demoCall(), sponsoredMode()]);
    for (let times = 0; times < 5; times++) await sign();
    await set(owner, { requestLogGrantsPercent: 100 });
    const isDrawn = async () => {
      await sign();
      await sleep(1_500);
      return (await listed(owner)).entries.length > 0;
    };
    await until(isDrawn);
    const signed = await entryOf(owner, await sign());
    expect(signed).toMatchObject({ outcome: 'granted', code: null, reason: null, message: null, mode: 'sponsored' });
    const { entries } = await listed(owner);
    const [count] = await world.ledger.rows<{ n: number }>(
      `SELECT count(*)::int AS n FROM dashboard.request_log WHERE paymaster_id = $1`,
      [owner.paymasterId],
    );
    expect(count?.n).toBe(entries.length);
    expect(entries.length).toBeLessThan(20);
  });
});

it('a stranger who floods fills his own share, and what others are refused is kept, through each of two gateways', async () => {
  const owner = await newOwner();
  const second = await world.another();
  const refusedAt = (url: string, client: string) =>
    owner.send('pm_sponsorUserOperation', [strangeCall(), sponsoredMode()], {
      url,
      headers: { 'x-forwarded-for': client },
    });
  for (const url of [world.url, second]) {
    for (let times = 0; times < 60; times++) await refusedAt(url, '203.0.113.66');
  }
  const others = [await refusedAt(world.url, '198.51.100.7'), await refusedAt(second, '198.51.100.7')];
  for (const requestId of others) expect(await entryOf(owner, requestId)).toMatchObject({ outcome: 'refused' });
  const { entries, leftOut } = await listed(owner, '?limit=200');
  // 15 through each gateway, and what flowed into his bucket meanwhile.
  expect(entries.length).toBeGreaterThanOrEqual(30 + 2);
  expect(entries.length).toBeLessThan(50);
  expect(entries.length + leftOut).toBe(122);
  await world.end(second);
});

it('while the dashboard is away nobody waits, little is kept in memory, and what was kept is told afterwards', async () => {
  const owner = await newOwner();
  await entryOf(owner, await owner.send('pm_sponsorUserOperation', [strangeCall(), sponsoredMode()]));
  await dashboard.stop();
  const away: string[] = [];
  const startedMs = performance.now();
  for (let times = 0; times < 40; times++) {
    away.push(await owner.send('pm_sponsorUserOperation', [strangeCall(), sponsoredMode()]));
  }
  expect(performance.now() - startedMs).toBeLessThan(30_000);
  expect(await metric('paymaster_request_log_buffered_bytes')).toBeGreaterThan(0);
  expect(await metric('paymaster_request_log_buffered_bytes')).toBeLessThan(2_100_000);
  dashboard = await startDashboardProcess(world, { env: ENV });
  for (const requestId of [away[0], away.at(-1)]) await entryOf(owner, String(requestId));
  await until(async () => (await metric('paymaster_request_log_buffered_bytes')) === 0);
});
