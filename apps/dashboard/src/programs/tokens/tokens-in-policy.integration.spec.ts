import { startAnvil, type Anvil } from '@paymaster/devnet';
import { CHARGING_WAYS, type Address, type PolicySnapshot } from '@paymaster/domain';
import { randomAddress, until } from '@paymaster/domain/testing';
import { MAX_SNAPSHOT_TOKENS } from '@paymaster/messaging';
import {
  CHAIN_ID,
  databaseOf,
  startDashboard,
  type DashboardUnderTest,
  type TestCall,
} from '../../testing/dashboard-under-test';
import { DevContracts } from '../../testing/dev-contracts';
import { auditLogOf } from '../../testing/audit-log-of';
import { ListeningGateway } from '../../testing/listening-gateway';
import { createPaymaster, type Keys } from '../../testing/requests';

let anvil: Anvil;
let contracts: DevContracts;
let dashboard: DashboardUnderTest;
let gateway: ListeningGateway;
let token: Address;
let keys: Keys;
let paymasterId: string;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: CHAIN_ID, blockTimeSeconds: 0 });
  contracts = new DevContracts(anvil.url);
  token = await contracts.token();
  dashboard = await startDashboard({ chainRpcUrl: anvil.url });
  gateway = await ListeningGateway.connect(dashboard);
});
beforeEach(async () => {
  keys = await createPaymaster(dashboard);
  ({ paymasterId } = await policy());
});
afterAll(async () => {
  await gateway.close();
  await dashboard.stop();
  contracts.stop();
  await anvil.stop();
});

async function policy(): Promise<PolicySnapshot> {
  const snapshot = await gateway.resolve(keys.apiKey);
  if (!snapshot) throw new Error('the paymaster has no policy');
  return snapshot;
}

async function send(method: TestCall['method'], body: object, status = 200): Promise<void> {
  expect((await dashboard.call({ method, path: '/token', ...keys, body })).status).toBe(status);
}

describe('the tokens in a policy', () => {
  it('are those that the paymaster added, as the gateway needs them', async () => {
    const feed = { address: await contracts.feed(), heartbeatSeconds: 3_600 };
    await send('POST', {
      address: token,
      price: { feed, apiId: 'usd-coin', coinFeed: feed },
      premiumPercentage: '2.5',
      exposureCapWei: (2n ** 200n).toString(),
      chargingWays: ['permit'],
      logoUrl: 'https://example.org/usd.png',
    });
    expect((await policy()).tokens).toEqual([
      {
        address: token,
        symbol: 'USDx',
        decimals: 6,
        logoUrl: 'https://example.org/usd.png',
        price: { feed, apiId: 'usd-coin', fixedUsd: null, coinFeed: feed },
        premiumMillionths: 25_000,
        exposureCapWei: 2n ** 200n,
        chargingWays: ['permit'],
        transferGas: expect.any(Number),
      },
    ]);
  });

  it('step the version with every write, which is broadcast after it can be read', async () => {
    await send('POST', { address: token, price: { fixedUsd: '1' } });
    await send('PATCH', { address: token, premiumPercentage: '0' });
    expect(await policy()).toMatchObject({ version: 3, tokens: [{ premiumMillionths: 0, exposureCapWei: null }] });
    await send('DELETE', { address: token });
    expect(await policy()).toMatchObject({ version: 4, tokens: [] });
    await until(() => gateway.versionsHeardOf(paymasterId).length === 3);
    expect(gateway.versionsHeardOf(paymasterId)).toEqual([2, 3, 4]);
  });

  it('are in the audit log with every write', async () => {
    await send('POST', { address: token, price: { fixedUsd: '1' } });
    await send('PATCH', { address: token, premiumPercentage: '0' });
    await send('DELETE', { address: token });
    expect(await auditLogOf(dashboard, paymasterId)).toMatchObject([
      { version: 2, subject: 'token', subjectId: token, before: null, after: { symbol: 'USDx' } },
      { version: 3, before: { premiumPercentage: '10' }, after: { premiumPercentage: '0' } },
      { version: 4, before: { premiumPercentage: '0' }, after: null },
    ]);
  });

  it('leave the version alone when a write is refused', async () => {
    await send('POST', { address: token, price: { fixedUsd: '1' } });
    await send('POST', { address: token, price: { fixedUsd: '1' } }, 400);
    await send('POST', { address: randomAddress(), price: { fixedUsd: '1' } }, 400);
    await send('PATCH', { address: randomAddress(), premiumPercentage: '0' }, 404);
    await send('DELETE', { address: randomAddress() }, 404);
    expect((await policy()).version).toBe(2);
  });

  it('say who may pay, how, and to whom', async () => {
    const body = { tokenMode: 'whitelistedCalls', tokenChargingWays: [], tokenFeeReceiver: randomAddress() };
    expect((await policy()).settings).toMatchObject({ tokenMode: 'anyCall', tokenChargingWays: CHARGING_WAYS });
    await dashboard.call({ method: 'PATCH', path: '/paymaster-settings', ...keys, body });
    expect(await policy()).toMatchObject({ version: 2, settings: body });
  });

  it('reach the gateway at the limits of everything', async () => {
    await databaseOf(dashboard).query(
      `INSERT INTO dashboard.tokens (id, paymaster_id, address, symbol, decimals, logo_url, price_feed_address,
         price_feed_heartbeat_seconds, price_api_id, price_fixed_usd, premium_millionths, exposure_cap_wei,
         charging_ways, transfer_gas)
       SELECT gen_random_uuid(), $1, '0x' || lpad(to_hex(n), 40, '0'), repeat('\u20ac', 64), 36,
         'https://' || repeat('a', 2040), '0x' || repeat('f', 40), 604800, repeat('a', 100),
         repeat('9', 18) || '.' || repeat('9', 18), 1000000, repeat('9', 77)::numeric,
         '{allowance,permit,batchApproval}', 30000000
       FROM generate_series(1, $2) AS n`,
      [paymasterId, MAX_SNAPSHOT_TOKENS],
    );
    await databaseOf(dashboard).query(
      `INSERT INTO dashboard.smart_contracts (id, paymaster_id, name, address, abi, methods, whitelisted_methods, selectors)
       VALUES (gen_random_uuid(), $1, 'large', $2, '[]', '{}', '{}', array_fill('0x12345678'::text, ARRAY[50000]))`,
      [paymasterId, randomAddress()],
    );
    expect((await policy()).tokens).toHaveLength(MAX_SNAPSHOT_TOKENS);
  });
});
