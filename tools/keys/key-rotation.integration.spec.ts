import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, startNats, type Nats, type TestDatabase } from '@paymaster/devnet';
import { InvalidApiKeyError } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { createNatsClient, indexKeysOf, MessageAuthenticator, PolicyClient } from '@paymaster/messaging';
import { loadConfig } from '@paymaster/nest-kit';
import { NO_SPAN } from '@paymaster/tracing';
import { NO_DEADLINE } from '@paymaster/turns';
import { Client } from 'pg';
import { AccountsService } from '../../apps/dashboard/src/access/accounts/accounts.service';
import { DashboardConfig } from '../../apps/dashboard/src/platform/config/dashboard.config';
import { createApp } from '../../apps/dashboard/src/create-app';
import { ApiKeyCipher } from '../../apps/dashboard/src/platform/crypto/api-key-cipher';
import { renewIndex } from '../../apps/dashboard/src/platform/crypto/renew-api-keys';
import { rewriteApiKeys, type RotationProgress } from '../../apps/dashboard/src/platform/crypto/rewrite-api-keys';
import { CallerService } from '../../apps/paymaster-rpc/src/callers/caller.service';
import type { ServedChains } from '../../apps/paymaster-rpc/src/chains/served-chains';
import { PaymasterRpcConfig } from '../../apps/paymaster-rpc/src/platform/config/paymaster-rpc.config';
import { PolicySnapshots } from '../../apps/paymaster-rpc/src/snapshots/policy-snapshots.service';

const CHAIN_ID = 31337;
const ENCRYPTION_KEY = '22'.repeat(32);
const [OLD, NEW] = ['11'.repeat(32), '44'.repeat(32)] as const;
const NOBODYS_KEY = 'aaaaaaaaa.00000000-0000-4000-8000-000000000000';
/** A machine that stands still for a while is no refusal. */
const PATIENCE_MS = 20_000;

/** The settings of each step of docs/operations/keys.md. */
const STEPS = {
  before: { API_KEY_INDEX_KEY: OLD },
  believed: { API_KEY_INDEX_KEY: OLD, API_KEY_INDEX_KEYS_OLD: NEW },
  used: { API_KEY_INDEX_KEY: NEW, API_KEY_INDEX_KEYS_OLD: OLD },
  after: { API_KEY_INDEX_KEY: NEW },
} as const;
type Step = keyof typeof STEPS;

let postgres: TestDatabase;
let nats: Nats;
let folder: string;
let authToken: string;
const closers: Array<() => Promise<unknown>> = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paymaster-keys-'));
  postgres = await openDatabase();
  nats = await startNats();
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
  await nats?.stop();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface RestCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** After /api/v2/public/sdk. */
  readonly path: string;
  readonly apiKey?: string;
  readonly body?: object;
}

/** A real dashboard, at one step of the rotation. */
class Dashboard {
  private stopped: Promise<void> | undefined;

  private constructor(private readonly app: Awaited<ReturnType<typeof createApp>>) {}

  static async start(step: Step): Promise<Dashboard> {
    const config = loadConfig(DashboardConfig, {
      ...{ DATABASE_URL: postgres.url, NATS_URL: nats.url, CHAINS_FILE: writeChainsFile(), LOG_LEVEL: 'silent' },
      ...{ API_KEY_ENCRYPTION_KEY: ENCRYPTION_KEY, DATABASE_POOL_SIZE: '4', ...STEPS[step] },
    });
    const dashboard = new Dashboard(await createApp(config));
    closers.push(() => dashboard.stop());
    const { app } = dashboard;
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    const accounts = app.get(AccountsService);
    authToken ??= (await accounts.issueToken(await accounts.create('owner'))).authToken;
    const broadcasts = async () =>
      (await app.inject('/health')).json<{ checks: { nats: { status: string } } }>().checks.nats.status === 'up';
    await until(broadcasts, 'the dashboard can broadcast');
    return dashboard;
  }

  async call({ method, path, apiKey, body }: RestCall): Promise<Readonly<Record<string, unknown>>> {
    const headers = { authToken, ...(apiKey !== undefined && { apiKey }) };
    const answer = await this.app.inject({ method, url: `/api/v2/public/sdk${path}`, headers, payload: body });
    expect(answer.statusCode).toBe(200);
    return answer.json<{ data?: Record<string, unknown> }>().data ?? {};
  }

  stop(): Promise<void> {
    return (this.stopped ??= this.app.close());
  }
}

/** Nothing here asks the chain. */
function writeChainsFile(): string {
  const file = join(folder, 'chains.json');
  const entryPoint = '0x0000000071727de22e5e9d8baf0edac6f37da032';
  const entryPoints = { '0.7': { entryPoint, paymaster: `0x${'9a'.repeat(20)}` } };
  const nowhere = { rpcUrls: ['http://127.0.0.1:1'], bundlerUrl: 'http://127.0.0.1:1' };
  writeFileSync(file, JSON.stringify({ chains: [{ chainId: CHAIN_ID, name: 'local', ...nowhere, entryPoints }] }));
  return file;
}

/** All of a gateway that knows API keys. */
class Gateway {
  /** Broadcasts that it believes. */
  readonly heard: string[] = [];

  private constructor(private readonly callers: CallerService) {}

  /** @param maxStalenessSeconds 0: it asks a dashboard for every request */
  static async start(step: Step, maxStalenessSeconds = 0): Promise<Gateway> {
    const config = loadConfig(PaymasterRpcConfig, {
      ...{ NATS_URL: nats.url, DATABASE_URL: postgres.url, CHAINS_FILE: 'none', SIGNERS_FILE: 'none' },
      ...{ POLICY_MAX_STALENESS_SECONDS: `${maxStalenessSeconds}`, ...STEPS[step] },
    });
    const authenticator = new MessageAuthenticator(indexKeysOf(config));
    const client = new PolicyClient(createNatsClient({ natsUrl: nats.url }, step), authenticator, PATIENCE_MS);
    const snapshots = new PolicySnapshots(client, config);
    const chains = { ids: [CHAIN_ID], get: () => ({}), named: () => undefined } as unknown as ServedChains;
    const gateway = new Gateway(new CallerService(config, chains, snapshots));
    client.start({
      policyChanged: (event) => {
        gateway.heard.push(`${event.paymasterId} ${event.version}`);
        snapshots.policyChanged(event);
      },
      reconnected: () => snapshots.reconnected(),
    });
    closers.push(() => snapshots.onApplicationShutdown());
    await until(() => client.connected, 'the gateway is connected');
    await until(() => gateway.knows(NOBODYS_KEY).then(() => true, () => false), 'a dashboard answers it'); // prettier-ignore
    return gateway;
  }

  /** The version of the policy that a key stands for. @throws what a request with it is refused with */
  async versionOf(apiKey: string): Promise<number> {
    const { paymaster } = await this.callers.identify({
      credentials: { chainId: undefined, pathKey: apiKey, xApiKey: undefined, authorization: undefined },
      ...{ origin: undefined, requestId: 'test', clientAddress: '203.0.113.7', weight: 1, span: NO_SPAN },
      deadlineMs: NO_DEADLINE,
    });
    return paymaster.snapshot.version;
  }

  async knows(apiKey: string): Promise<boolean> {
    try {
      return (await this.versionOf(apiKey)) > 0;
    } catch (error) {
      if (error instanceof InvalidApiKeyError) return false;
      throw error;
    }
  }
}

let count = 0;
async function createPaymaster(dashboard: Dashboard): Promise<string> {
  const body = { name: `paymaster ${count++}`, type: 'HYBRID', chainId: CHAIN_ID, version: '1.1.0' };
  return String((await dashboard.call({ method: 'POST', path: '/paymaster', body }))['apiKey']);
}

async function rotate(dashboard: Dashboard, apiKey: string, previousKeyValidSeconds?: number) {
  const body = { previousKeyValidSeconds };
  const data = await dashboard.call({ method: 'POST', path: '/paymaster/rotate-key', apiKey, body });
  return { paymasterId: String(data['paymasterId']), current: String(data['apiKey']) };
}

/** What the command rotate-index does, with the new key. */
async function rotateIndex({ checkOnly }: { checkOnly: boolean }): Promise<RotationProgress> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const renew = renewIndex(new ApiKeyCipher({ apiKeyEncryptionKey: ENCRYPTION_KEY }), NEW);
    return await rewriteApiKeys({ client, renew, batchSize: 1, checkOnly, onBatch: () => undefined });
  } finally {
    await client.end();
  }
}

describe('API_KEY_INDEX_KEY', () => {
  /** Every key of the test that works: those of paymasters that were made at any step, former ones too. */
  const apiKeys: string[] = [];

  /** What clients and owners do, through all that runs right now: each dashboard, each gateway, every key. */
  async function expectAllToWork(dashboards: readonly Dashboard[], gateways: readonly Gateway[]): Promise<void> {
    for (const dashboard of dashboards) {
      const former = await createPaymaster(dashboard);
      const { paymasterId, current } = await rotate(dashboard, former);
      apiKeys.push(former, current);
      const told = () => gateways.every(({ heard }) => heard.includes(`${paymasterId} 2`));
      await until(told, 'every gateway believes what the dashboard broadcasts', PATIENCE_MS);
    }
    for (const apiKey of apiKeys) {
      for (const dashboard of dashboards) await dashboard.call({ method: 'GET', path: '/paymaster-settings', apiKey });
      for (const gateway of gateways) expect(await gateway.versionOf(apiKey)).toBe(2);
    }
  }

  /** From one step to the next: gateways of both, and dashboards of the first, of both, and of the second. */
  async function roll(from: { step: Step; dashboard: Dashboard }, to: Step): Promise<Dashboard> {
    const gateways = [await Gateway.start(from.step), await Gateway.start(to)];
    await expectAllToWork([from.dashboard], gateways);
    const next = await Dashboard.start(to);
    // Either answers; over all keys, both do.
    await expectAllToWork([from.dashboard, next], gateways);
    let stopped = false;
    const stopping = from.dashboard.stop().finally(() => (stopped = true));
    while (!stopped) for (const gateway of gateways) await gateway.versionOf(String(apiKeys[0]));
    await stopping;
    await expectAllToWork([next], gateways);
    return next;
  }

  it('is replaced without a refused request, whatever is mixed at any step', async () => {
    let dashboard = await Dashboard.start('before');
    dashboard = await roll({ step: 'before', dashboard }, 'believed');
    dashboard = await roll({ step: 'believed', dashboard }, 'used');

    expect((await rotateIndex({ checkOnly: true })).behind).toBeGreaterThan(5);
    const gateway = await Gateway.start('used');
    let done = false;
    const rewriting = rotateIndex({ checkOnly: false }).finally(() => (done = true));
    while (!done) for (const apiKey of apiKeys) await gateway.versionOf(apiKey);
    expect(await rewriting).toMatchObject({ unreadable: [] });
    expect(await rotateIndex({ checkOnly: true })).toMatchObject({ behind: 0, unreadable: [] });

    await roll({ step: 'used', dashboard }, 'after');
    expect(apiKeys.length).toBeGreaterThan(20);
  });
});

describe('an API key that is replaced', () => {
  let dashboard: Dashboard;
  let gateway: Gateway;
  beforeAll(async () => {
    dashboard = await Dashboard.start('after');
    gateway = await Gateway.start('after', 300);
  });

  it('goes on working beside the new one, until it ends', async () => {
    const former = await createPaymaster(dashboard);
    expect(await gateway.versionOf(former)).toBe(1);
    const { current } = await rotate(dashboard, former, 2);
    expect(await Promise.all([gateway.knows(former), gateway.knows(current)])).toEqual([true, true]);
    const rotatedAtMs = performance.now();
    await until(async () => !(await gateway.knows(former)), 'the former key has ended');
    // It is confirmed every 10 s at least; and a machine may stand still.
    expect(performance.now() - rotatedAtMs).toBeLessThan(2_000 + 10_000 + 10_000);
    expect(await gateway.knows(current)).toBe(true);
  });

  it('ends in every gateway as soon as that is broadcast', async () => {
    const leaked = await createPaymaster(dashboard);
    const gateways = [gateway, await Gateway.start('after', 300)];
    expect(await Promise.all(gateways.map((each) => each.knows(leaked)))).toEqual([true, true]);
    const { paymasterId, current } = await rotate(dashboard, leaked, 0);
    await until(() => gateways.every(({ heard }) => heard.includes(`${paymasterId} 2`)), 'both have heard');
    expect(await Promise.all(gateways.map((each) => each.knows(leaked)))).toEqual([false, false]);
    expect(await Promise.all(gateways.map((each) => each.knows(current)))).toEqual([true, true]);
  });

  it('ends with all former keys, of which a gateway has copies', async () => {
    const first = await createPaymaster(dashboard);
    const { current: second } = await rotate(dashboard, first);
    const { paymasterId, current: third } = await rotate(dashboard, second);
    const all = [first, second, third];
    for (const apiKey of all) expect(await gateway.versionOf(apiKey)).toBe(3);
    const ended = await dashboard.call({ method: 'DELETE', path: '/paymaster/former-keys', apiKey: third });
    expect(ended).toEqual({ ended: 2 });
    await until(() => gateway.heard.includes(`${paymasterId} 4`), 'it has heard');
    expect(await Promise.all(all.map((apiKey) => gateway.knows(apiKey)))).toEqual([false, false, true]);
  });
});
