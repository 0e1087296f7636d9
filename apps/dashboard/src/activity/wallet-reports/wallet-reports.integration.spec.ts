import { until } from '@paymaster/domain/testing';
import { NetworkNames, type NetworkNearRoomEvent, type WalletBrakedEvent } from '@paymaster/messaging';
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answers, WebhookReceiver } from '@paymaster/webhooks/testing';
import {
  CHAIN_ID,
  databaseOf,
  INDEX_KEY,
  PLATFORM_PAYMASTER,
  startDashboard,
  type DashboardUnderTest,
} from '../../testing/dashboard-under-test';
import { createPaymaster, paymasterIdOf, type Keys } from '../../testing/requests';
import { OperationsProjection } from '../operations/operations.projection';
import { DeliveriesRepository } from '../../outbound/webhooks/deliveries.repository';
import { LowWalletWatch } from './low-wallet.watch';

const WALLET = `0x${'c'.repeat(40)}`;
const word = (value: bigint) => value.toString(16).padStart(64, '0');

const NOW_SECONDS = 1_790_000_000n;
const WINDOW_SECONDS = 604_800n;
/** A node of which only the newest block and three functions of our contract are asked. */
const chain = { balanceWei: 1_000n, requestedWei: 0n, executableAtSeconds: NOW_SECONDS, down: false };
let node: Server;
let dashboard: DashboardUnderTest;
let keys: Keys;
let paymasterId: string;
let receiver: WebhookReceiver | undefined;

beforeAll(async () => {
  node = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (chain.down) return void response.writeHead(503).end();
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
        id: number;
        method: string;
        params: [{ data: string }];
      };
      const results: Record<string, unknown> = {
        eth_chainId: `0x${CHAIN_ID.toString(16)}`,
        eth_getBlockByNumber: { number: '0x10', timestamp: `0x${NOW_SECONDS.toString(16)}`, baseFeePerGas: '0x1' },
        '0x70a08231': `0x${word(chain.balanceWei)}`,
        '0x14bf9d2b': `0x${word(chain.requestedWei)}${word(chain.executableAtSeconds)}`,
        '0x2b88348d': `0x${word(WINDOW_SECONDS)}`,
      };
      const result = results[method === 'eth_call' ? params[0].data.slice(0, 10) : method];
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  const chainRpcUrl = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
  const env = { WEBHOOK_SIGNING_KEY: '33'.repeat(32), WEBHOOK_ALLOW_INSECURE: 'true' };
  dashboard = await startDashboard({ env, chainRpcUrl });
  // It looks when a test says so; in between it would keep the test from it.
  await dashboard.app.get(LowWalletWatch).beforeApplicationShutdown();
});
beforeEach(async () => {
  Object.assign(chain, { balanceWei: 1_000n, requestedWei: 0n, executableAtSeconds: NOW_SECONDS, down: false });
  keys = await createPaymaster(dashboard);
  paymasterId = await paymasterIdOf(dashboard, keys);
  await databaseOf(dashboard).query('UPDATE dashboard.paymasters SET funding_wallet = $2 WHERE id = $1', [
    paymasterId,
    WALLET,
  ]);
});
afterEach(async () => {
  await receiver?.stop();
  receiver = undefined;
});
afterAll(async () => {
  await dashboard.stop();
  node.closeAllConnections();
  await new Promise((resolve) => node.close(resolve));
});

const toldLow = async (): Promise<boolean> =>
  (await databaseOf(dashboard).query('SELECT 1 FROM dashboard.webhooks WHERE told_low_at IS NOT NULL')).length > 0;
const queued = async (): Promise<number> =>
  (await databaseOf(dashboard).query(`SELECT 1 FROM dashboard.webhook_deliveries WHERE type = 'wallet.low'`)).length;
const show = () => dashboard.call({ method: 'GET', path: '/funding-wallet', ...keys });
const spend = (wei: number, entryPointVersion = '0.7', age = '1 hour') =>
  databaseOf(dashboard).query(
    `INSERT INTO dashboard.operations (id, paymaster_id, chain_id, state, mode, sender, nonce, entry_point_version,
                                       funding_wallet, actual_cost_wei, created_at, updated_at)
     VALUES ($1, $2, $3, 'settled', 'sponsored', '0x', 1, $4, $5, $6, now() - $7::interval, now())`,
    [randomUUID(), paymasterId, CHAIN_ID, entryPointVersion, WALLET, wei, age],
  );

describe('the funding wallet', () => {
  it('is shown with what it can spend, what it spent in a day, and how long it lasts', async () => {
    chain.requestedWei = 400n;
    await spend(100);
    await spend(200);
    await spend(5_000, '0.7', '25 hours');
    await spend(7_000, '0.8');
    expect((await show()).body).toEqual({
      statusCode: 200,
      message: 'Funding wallet fetched',
      data: {
        chainId: CHAIN_ID,
        fundingWallet: WALLET,
        accounts: [
          {
            entryPointVersion: '0.7',
            contract: PLATFORM_PAYMASTER,
            balanceWei: '1000',
            requestedWei: '400',
            withdrawableAt: new Date(Number(NOW_SECONDS) * 1_000).toISOString(),
            spendableWei: '600',
            spentPerDayWei: '300',
            runwayHours: 48,
            stoppedAt: null,
          },
        ],
        nearNetworks: [],
      },
    });
  });

  it.each([
    ['counts a request until its window is closed', 400n, NOW_SECONDS - WINDOW_SECONDS + 1n, '600'],
    ['counts a request no more that is void', 400n, NOW_SECONDS - WINDOW_SECONDS, '1000'],
    ['names no time for a request of nothing', 0n, NOW_SECONDS, '1000'],
  ])('%s', async (_title, requestedWei, executableAtSeconds, spendableWei) => {
    Object.assign(chain, { requestedWei, executableAtSeconds });
    const withdrawableAt = spendableWei === '1000' ? null : new Date(Number(executableAtSeconds) * 1_000).toISOString();
    expect((await show()).body.data?.['accounts']).toEqual([expect.objectContaining({ spendableWei, withdrawableAt })]);
  });

  it('cannot be shown when the chain names a time that is no date', async () => {
    Object.assign(chain, { requestedWei: 400n, executableAtSeconds: 2n ** 255n });
    expect(await show()).toMatchObject({ status: 503, body: { message: 'The chain cannot be read at the moment' } });
  });

  it('has no runway while nothing is spent', async () => {
    expect((await show()).body.data?.['accounts']).toEqual([expect.objectContaining({ runwayHours: null })]);
  });

  it('has no accounts before there is one', async () => {
    await databaseOf(dashboard).query(`UPDATE dashboard.paymasters SET funding_wallet = NULL WHERE id = $1`, [
      paymasterId,
    ]);
    expect((await show()).body.data).toEqual({
      ...{ chainId: CHAIN_ID, fundingWallet: null },
      ...{ accounts: [], nearNetworks: [] },
    });
  });

  it('cannot be shown while the chain does not answer', async () => {
    chain.down = true;
    expect(await show()).toMatchObject({ status: 503, body: { message: 'The chain cannot be read at the moment' } });
  });
});

describe('a wallet that will soon be empty', () => {
  it('is told once, and again only after it was filled', async () => {
    const { requests, url } = (receiver = await WebhookReceiver.start());
    receiver.behaviour = answers(200, {});
    await dashboard.call({
      ...{ method: 'POST', path: '/webhook', ...keys },
      body: { webhookUrl: url, requestType: 'POST', events: ['walletLow'], lowBalanceHours: 48 },
    });
    const look = () => dashboard.app.get(LowWalletWatch).look();
    /** A look at a node that did not answer in time says nothing: then there is another one. */
    const lookUntilTold = (told: boolean) => until(async () => (await look(), (await toldLow()) === told));
    await spend(1_000);
    await lookUntilTold(true);
    await look();
    expect(await queued()).toBe(1);
    await until(() => requests.length > 0);
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({
      type: 'wallet.low',
      data: { fundingWallet: WALLET, lowBalanceHours: 48, accounts: [{ runwayHours: 24, spendableWei: '1000' }] },
    });
    chain.down = true;
    await look();
    chain.down = false;
    chain.balanceWei = 10_000n;
    await lookUntilTold(false);
    chain.balanceWei = 1_000n;
    await lookUntilTold(true);
    await look();
    await until(() => requests.length > 1);
    expect(await queued()).toBe(2);
  });
});

describe('the spending brake', () => {
  const AT = Date.parse('2026-03-04T05:06:07.089Z');
  const settings = (method: 'GET' | 'PATCH', body?: object) =>
    dashboard.call({ method, path: '/paymaster-settings', ...keys, body });
  const release = (body?: object) =>
    dashboard.call({ method: 'POST', path: '/paymaster-settings/release-brake', ...keys, body });
  const releasedAtMs = async (): Promise<number> =>
    Date.parse(String((await settings('GET')).body.data?.['brakeReleasedAt'] ?? new Date(0).toISOString()));
  const stoppedAt = async (): Promise<unknown> =>
    ((await show()).body.data?.['accounts'] as { stoppedAt: string | null }[])[0]?.stoppedAt;
  const stop = async (changes: Partial<WalletBrakedEvent> = {}): Promise<WalletBrakedEvent> => {
    const event: WalletBrakedEvent = {
      ...{ kind: 'walletBraked', eventId: randomUUID(), atMs: AT, chainId: CHAIN_ID, paymasterId },
      ...{ contract: PLATFORM_PAYMASTER, fundingWallet: WALLET, lostWei: '400', leftWei: '600', releasedAtMs: 0 },
      ...changes,
    };
    await dashboard.app.get(OperationsProjection).apply(event);
    await dashboard.app.get(DeliveriesRepository).enqueueEvent(event);
    return event;
  };

  it('is on, and can be turned off', async () => {
    expect((await settings('GET')).body.data).toMatchObject({ spendingBrake: true, brakeReleasedAt: null });
    expect((await settings('PATCH', { spendingBrake: false })).body.data).toMatchObject({ spendingBrake: false });
    expect((await settings('PATCH', { spendingBrake: 1 })).status).toBe(400);
  });

  it('is not left as it was by a misspelt field, which is named', async () => {
    for (const answer of [await settings('PATCH', { spendingBreak: true }), await release({ spendingBreak: true })])
      expect(answer).toMatchObject({ status: 400, body: { message: 'property spendingBreak should not exist' } });
    expect(await releasedAtMs()).toBe(0);
  });

  it('shows the stop and tells the webhook once, until the owner releases it', async () => {
    const { requests, url } = (receiver = await WebhookReceiver.start());
    receiver.behaviour = answers(200, {});
    await dashboard.call({
      ...{ method: 'POST', path: '/webhook', ...keys },
      body: { webhookUrl: url, requestType: 'POST', events: ['walletBraked'] },
    });
    const event = await stop();
    await stop(event);
    expect(await stoppedAt()).toBe(new Date(AT).toISOString());
    await until(() => requests.length > 0);
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      type: 'wallet.braked',
      timestamp: new Date(AT).toISOString(),
      data: {
        ...{ paymasterId, chainId: CHAIN_ID, contract: PLATFORM_PAYMASTER, fundingWallet: WALLET },
        ...{ lostWei: '400', leftWei: '600' },
      },
    });
    expect(await release()).toMatchObject({ status: 200, body: { message: 'Spending brake released' } });
    expect(await stoppedAt()).toBeNull();
    // The same again, late, and one of before the release.
    await stop({ ...event, eventId: randomUUID(), atMs: AT + 1 });
    expect(await stoppedAt()).toBeNull();
    await stop({ atMs: AT + 2, releasedAtMs: await releasedAtMs() });
    expect(await stoppedAt()).toBe(new Date(AT + 2).toISOString());
  });

  it('is released when it is turned off and on again, and by nothing else', async () => {
    await settings('PATCH', { spendingBrake: true, maxExpirySeconds: 300 });
    expect(await releasedAtMs()).toBe(0);
    await stop();
    await settings('PATCH', { spendingBrake: false });
    expect(await stoppedAt()).toBeNull();
    await settings('PATCH', { spendingBrake: true });
    expect(await stoppedAt()).toBeNull();
    const first = await releasedAtMs();
    expect(first).toBeGreaterThan(0);
    await release();
    expect(await releasedAtMs()).toBeGreaterThan(first);
  });
});

describe('GET /funding-wallet/transactions', () => {
  const transactions = (query: string) =>
    dashboard.call({ method: 'GET', path: `/funding-wallet/transactions${query}`, ...keys });

  it('shows none before there is a wallet, then those of each EntryPoint', async () => {
    keys = await createPaymaster(dashboard);
    expect((await transactions('?amountWei=7')).body.data).toEqual({
      ...{ chainId: CHAIN_ID, fundingWallet: null, accounts: [] },
    });
    await databaseOf(dashboard).query('UPDATE dashboard.paymasters SET funding_wallet = $2 WHERE id = $1', [
      await paymasterIdOf(dashboard, keys),
      WALLET,
    ]);
    expect((await transactions('?amountWei=7')).body.data).toMatchObject({
      fundingWallet: WALLET,
      accounts: [
        {
          entryPointVersion: '0.7',
          deposit: { to: PLATFORM_PAYMASTER, value: '7', data: expect.stringContaining(WALLET.slice(2)) },
          requestWithdrawal: { to: PLATFORM_PAYMASTER, value: '0', data: expect.stringMatching(/0{63}7$/) },
          executeWithdrawal: { value: '0', data: expect.stringContaining(WALLET.slice(2)) },
        },
      ],
    });
  });

  it.each(['', '?amountWei=0', '?amountWei=-1', '?amountWei=0x1', `?amountWei=${2n ** 96n}`, '?amountWei=1&to=me'])(
    'refuses %j',
    async (query) => expect((await transactions(query)).status).toBe(400),
  );
});

describe('a network that used half of its room', () => {
  const [SERVER, OFFICE] = ['198.51.100.7', '2001:db8:7::/48'];
  const names = new NetworkNames(INDEX_KEY);
  const settings = (body: object) => dashboard.call({ method: 'PATCH', path: '/paymaster-settings', ...keys, body });
  const shown = async () => (await show()).body.data?.['nearNetworks'] as Record<string, unknown>[];
  const happen = async (name: string, changes: Partial<NetworkNearRoomEvent> = {}): Promise<NetworkNearRoomEvent> => {
    const event: NetworkNearRoomEvent = {
      ...{ kind: 'networkNearRoom', eventId: randomUUID(), atMs: Date.now(), chainId: CHAIN_ID, paymasterId },
      ...{ contract: PLATFORM_PAYMASTER, fundingWallet: WALLET, network: name, usedWei: '15', roomWei: '30' },
      ...changes,
    };
    await dashboard.app.get(OperationsProjection).apply(event);
    await dashboard.app.get(DeliveriesRepository).enqueueEvent(event);
    return event;
  };
  const nameOf = (network: string) => names.of(network) ?? 'none';

  it('is shown to its owner with its address, newest first, for a day, until he names it', async () => {
    const first = await happen(nameOf(SERVER), { atMs: Date.now() - 7_200_000 });
    await happen(nameOf(OFFICE));
    // A user whom the owner's server names.
    await happen('kzXhYpd9nGkTbUq0v1s2Aw', { atMs: Date.now() - 3_600_000 });
    await happen(nameOf('203.0.113.9'), { atMs: Date.now() - 86_500_000 });
    expect((await shown()).map(({ network }) => network)).toEqual([OFFICE, null, SERVER]);
    // Late, of an hour before: the newest time is shown.
    await happen(nameOf(SERVER), { atMs: first.atMs - 3_600_000, usedWei: '16' });
    expect((await shown())[2]).toEqual({
      ...{ network: SERVER, contract: PLATFORM_PAYMASTER, usedWei: '15', roomWei: '30' },
      at: new Date(first.atMs).toISOString(),
    });
    expect((await settings({ servers: [SERVER] })).body.data).toMatchObject({ servers: [SERVER] });
    expect((await shown()).map(({ network }) => network)).toEqual([OFFICE, null]);
    await settings({ servers: [SERVER, OFFICE] });
    expect((await shown()).map(({ network }) => network)).toEqual([null]);
    // He takes it back.
    await settings({ servers: [] });
    expect((await shown()).map(({ network }) => network)).toEqual([OFFICE, null, SERVER]);
  });

  it('is told to webhooks once for each event, with an address that nothing writes down', async () => {
    const { requests, url } = (receiver = await WebhookReceiver.start());
    receiver.behaviour = answers(200, {});
    await dashboard.call({
      ...{ method: 'POST', path: '/webhook', ...keys },
      body: { webhookUrl: url, requestType: 'POST', events: ['networkNearRoom'] },
    });
    const event = await happen(nameOf(SERVER));
    await dashboard.app.get(DeliveriesRepository).enqueueEvent(event);
    const next = await happen(nameOf(SERVER), { atMs: event.atMs + 3_600_000 });
    await until(() => requests.length === 2);
    const told = requests.map(({ body }) => JSON.parse(body) as object);
    expect(told).toEqual(
      [event, next].map(({ atMs }) => ({
        type: 'wallet.networkNearRoom',
        timestamp: new Date(atMs).toISOString(),
        data: {
          ...{ paymasterId, chainId: CHAIN_ID, contract: PLATFORM_PAYMASTER, fundingWallet: WALLET },
          ...{ network: SERVER, usedWei: '15', roomWei: '30' },
        },
      })),
    );
    const stored = await databaseOf(dashboard).query(
      `SELECT body FROM dashboard.webhook_deliveries UNION ALL SELECT network FROM dashboard.near_networks`,
    );
    expect(JSON.stringify(stored)).not.toContain(SERVER);
  });

  it.each<[string, unknown]>([
    ['a network that nobody owns alone', ['203.0.113.0/23']],
    ['the whole internet', ['0.0.0.0/0']],
    ['a large network of IPv6', ['2001:db8::/47']],
    ['a name', ['app.example']],
    ['an address twice', [SERVER, SERVER]],
    ['too many', Array.from({ length: 21 }, (_, at) => `203.0.113.${at}`)],
    ['null', null],
  ])('cannot be named as %s', async (_what, servers) => {
    const answer = await settings({ servers });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('servers');
  });
});
