import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { startAnvil, type Anvil } from '@paymaster/devnet';
import type { Address } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { CHAIN_ID, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { DevContracts } from '../../testing/dev-contracts';
import { createPaymaster, type Keys, refusal } from '../../testing/requests';

const UNAVAILABLE = refusal(503, 'CHAIN_UNAVAILABLE', 'The chain cannot be read at the moment');

let anvil: Anvil;
let contracts: DevContracts;
let token: Address;
let dashboard: DashboardUnderTest;
let keys: Keys;
let hanging: Server;
const connections: Socket[] = [];

beforeAll(async () => {
  anvil = await startAnvil({ chainId: CHAIN_ID, blockTimeSeconds: 0 });
  contracts = new DevContracts(anvil.url);
  token = await contracts.token();
  // Takes connections and says nothing.
  hanging = createServer((connection) => connections.push(connection));
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
});
afterEach(() => dashboard.stop());
afterAll(async () => {
  contracts.stop();
  hanging.close();
  for (const connection of connections) connection.destroy();
  await anvil.stop();
});

const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', body?: object) =>
  dashboard.call({ method, path: '/token', ...keys, body });

async function start(chainRpcUrl: string): Promise<void> {
  dashboard = await startDashboard({ chainRpcUrl });
  keys = await createPaymaster(dashboard);
}

describe('with the chain down', () => {
  it('starts, is ready, and serves everything that needs no chain', async () => {
    await start(anvil.url);
    await send('POST', { address: token, price: { fixedUsd: '1' } });
    await anvil.stop();

    const another = await send('POST', { address: `0x${'12'.repeat(20)}`, price: { fixedUsd: '1' } });
    expect(another.body).toEqual(UNAVAILABLE);
    expect(another.headers['retry-after']).toBe('2');
    const feed = { address: token, heartbeatSeconds: 60 };
    expect((await send('PATCH', { address: token, price: { feed } })).body).toEqual(UNAVAILABLE);

    expect((await send('POST', { address: token, price: { fixedUsd: '1' } })).body.message).toBe(
      'Token already exists',
    );
    expect((await send('PATCH', { address: token, premiumPercentage: '3' })).status).toBe(200);
    expect((await send('GET')).body.data).toContainEqual(
      expect.objectContaining({ address: token, premiumPercentage: '3' }),
    );
    expect((await send('DELETE', { address: token })).status).toBe(200);
    expect((await dashboard.app.inject('/health/ready')).statusCode).toBe(200);
    await createPaymaster(dashboard);
  });
});

describe('with a chain that does not answer', () => {
  it('gives up on it, and lets others go on meanwhile', async () => {
    await start(`http://127.0.0.1:${(hanging.address() as AddressInfo).port}`);
    const answers: string[] = [];
    const waiting = send('POST', { address: token, price: { fixedUsd: '1' } }).finally(() => answers.push('POST'));
    await until(() => connections.length > 0);
    expect((await send('GET').finally(() => answers.push('GET'))).status).toBe(200);
    expect((await waiting).body).toEqual(UNAVAILABLE);
    // The chain is given up after two attempts of seconds each: one pause of this machine is not both of them.
    expect(answers).toEqual(['GET', 'POST']);
  });
});
