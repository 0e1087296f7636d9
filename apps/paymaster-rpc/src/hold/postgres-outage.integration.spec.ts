import { startPostgres, type Postgres } from '@paymaster/devnet';
import type { Hex } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { startGatewayWorld, type GatewayWorld } from '../testing/gateway-world';
import { call, executeCall, sponsoredMode, wireOperationV06, type RpcAnswer } from '../testing/rpc-call';
import { erc20Mode, quotesOf } from '../testing/token-call';
import { startTokenWorld, type TokenWorld } from '../testing/token-world';

/**
 * Far less than the time that this gateway waits for its database, so an answer within this time did not wait for the
 * database.
 */
const AT_ONCE_MS = 30_000;

interface Health {
  readonly checks: Record<'ledger', { readonly status: string; readonly detail?: string }>;
}

const healthOf = async (url: string): Promise<Health> => (await (await fetch(`${url}/health`)).json()) as Health;
const statusOf = async (url: string, check: 'live' | 'ready'): Promise<number> =>
  (await fetch(`${url}/health/${check}`)).status;

describe('without Postgres', () => {
  let world: TokenWorld;
  let callData: Hex;
  let apiKey: string;

  beforeAll(async () => {
    world = await startTokenWorld({ ownPostgres: true });
    callData = executeCall({ to: world.demo.address, data: world.demo.callData });
    apiKey = world.newPaymaster().apiKey;
  });
  afterAll(() => world?.stop());

  const ask = (method: string, mode: object): Promise<RpcAnswer> =>
    call(`${world.url}/api/v2/31337/${apiKey}`, method, [wireOperationV06(callData), mode]);
  const inTokens = (changes: object = {}) => erc20Mode({ preferredToken: world.tokens.USDx.address }, changes);
  const sponsored = async () => (await ask('pm_sponsorUserOperation', sponsoredMode())).json.result !== undefined;

  it('signs nothing and answers so at once, still quotes, and recovers by itself', async () => {
    expect(await sponsored()).toBe(true);
    const signatures = () => world.ledger.rows<{ count: string }>('SELECT count(*) FROM ledger.reservations');
    const [before] = await signatures();
    await world.ledger.stopServer();

    const estimated = { calculateGasLimits: true };
    for (const mode of [sponsoredMode(), sponsoredMode(estimated), inTokens(estimated)]) {
      const askedAt = performance.now();
      const { status, headers, json } = await ask('pm_sponsorUserOperation', mode);
      expect(performance.now() - askedAt).toBeLessThan(AT_ONCE_MS);
      expect([status, json.error?.code, json.error?.data['dependency']]).toEqual([503, -32011, 'database']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(quotesOf(await ask('pm_getFeeQuoteOrData', inTokens()))).toHaveLength(1);
    expect([await statusOf(world.url, 'live'), await statusOf(world.url, 'ready')]).toEqual([200, 503]);
    expect((await healthOf(world.url)).checks.ledger).toMatchObject({ status: 'down', detail: expect.any(String) });

    await world.ledger.startServer();
    await until(sponsored, 'it signs again');
    const [after] = await signatures();
    expect(Number(after!.count)).toBe(Number(before!.count) + 1);
    await until(async () => (await statusOf(world.url, 'ready')) === 200, 'it is ready');
  });
});

describe('a database without the schema of the ledger', () => {
  let postgres: Postgres;
  let world: GatewayWorld;

  beforeAll(async () => {
    postgres = await startPostgres();
    world = await startGatewayWorld({ env: { DATABASE_URL: postgres.url }, readiness: 503 });
  });
  afterAll(async () => {
    await world?.stop();
    await postgres?.stop();
  });

  it('is named by readiness, and nothing is signed; the gateway makes no schema of its own', async () => {
    const callData = executeCall({ to: world.demo.address, data: world.demo.callData });
    const { apiKey } = world.newPaymaster();
    const params = [wireOperationV06(callData), sponsoredMode()];
    const ask = () => call(`${world.url}/api/v1/31337/${apiKey}`, 'pm_sponsorUserOperation', params);
    let answer = await ask();
    // A gateway that was never ready may not have reached its broker or read its chain yet.
    await until(async () => {
      answer = await ask();
      expect(answer.json.error?.code).toBe(-32011);
      return answer.json.error?.data['dependency'] === 'database';
    }, 'it asks its database');
    expect([answer.status, answer.json.error?.code, answer.json.error?.data['dependency']]).toEqual([
      503,
      -32011,
      'database',
    ]);
    // The first look may have been too slow on a busy machine; there is another one every quarter of a second.
    await until(async () => {
      const { ledger } = (await healthOf(world.url)).checks;
      expect(ledger.status).toBe('down');
      return ledger.detail?.includes('schema') === true;
    }, 'health names the schema');
  });
});
