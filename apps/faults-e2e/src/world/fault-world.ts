import { randomBytes, randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lies, lyingProxy, type LyingProxy } from '@paymaster/chain/testing';
import {
  accountCommand,
  DashboardClient,
  DEV_KEYS,
  freePort,
  LOCAL_CHAIN_ID,
  makeEventStream,
  onSamePort,
  seedPaymaster,
  startNats,
  startPostgres,
  stopAllProcesses,
  world,
  type Anvil,
  type DevChain,
  type Nats,
  type Postgres,
} from '@paymaster/devnet';
import type { Address } from '@paymaster/domain';
import { Client } from 'pg';
import { parseEther } from 'viem';
import { TcpProxy } from '../network/tcp-proxy';
import { AppProcess } from './app-process';

export const CHAIN_ID = LOCAL_CHAIN_ID;
const PROVIDERS = 3;
/** Pays for every load here while no signature has expired yet; to the gateway all of a load is one network. */
const DEPOSIT_WEI = parseEther('100000');
/** Own bound: a load comes from one address, and its rows tell what is answered while a part fails. */
export const ROOMY_CAPS = {
  maxLiveSignaturesPerClient: 10_000,
  maxLiveSignaturesTotal: 10_000,
  clientSharePercent: 100,
};
/** The same of a gateway. */
const MANY = '1000000';

/** As long as a balancer needs to see that a process is leaving. */
const DRAIN_SECONDS = '3';

/** Who has a network of its own to a server. */
const EDGES = ['gateways', 'dashboards', 'settlement'] as const;
type Edge = (typeof EDGES)[number];

/** Real processes of every app with real servers behind networks that can be bad; nothing else reaches the servers. */
export interface FaultWorld {
  readonly folder: string;
  readonly anvil: Anvil;
  readonly chain: DevChain;
  /** The servers; a row that ends one puts the next one here. */
  readonly servers: { postgres: Postgres; nats: Nats };
  readonly postgres: Readonly<Record<Edge, TcpProxy>>;
  readonly nats: Readonly<Record<Edge, TcpProxy>>;
  /** What every app reads the chain through, one URL each. */
  readonly providers: readonly LyingProxy[];
  readonly gateways: readonly AppProcess[];
  readonly dashboards: readonly AppProcess[];
  readonly settlement: AppProcess;
  /** Sponsors the demo contract from a wallet with a deposit. */
  readonly paymaster: { readonly apiKey: string; readonly paymasterId: string };
  readonly authToken: string;
  /** The contract for EntryPoint v0.6. */
  readonly contract: Address;
  readonly demo: { readonly address: Address; readonly callData: string };
  /** Starts Postgres again on its data and port, after it was ended. */
  restartPostgres(): Promise<void>;
  restartNats(): Promise<void>;
  /** One more gateway, with variables of its own. */
  anotherGateway(env: NodeJS.ProcessEnv): Promise<AppProcess>;
  stop(): Promise<void>;
}

/** Starts everything on free ports; nothing is left behind when that fails. */
export async function startFaultWorld(): Promise<FaultWorld> {
  const closers: Array<() => unknown> = [];
  const stop = async (): Promise<void> => {
    await stopAllProcesses();
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    return await bringUp(closers, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function bringUp(closers: Array<() => unknown>, stop: () => Promise<void>): Promise<FaultWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'paymaster-faults-'));
  if (process.env['FAULTS_KEEP_LOGS'] === undefined)
    closers.push(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'logs'));
  const log = (name: string) => (line: string) => appendFileSync(join(folder, 'logs', `${name}.log`), `${line}\n`);
  const postgresOptions = {
    durable: true,
    dataDir: join(folder, 'postgres'),
    port: await freePort(),
    log: log('postgres'),
  };
  const natsOptions = { dataDir: join(folder, 'nats'), port: await freePort(), log: log('nats') };
  const [place, postgres, nats] = await Promise.all([
    world({ fundingWei: DEPOSIT_WEI }),
    startPostgres(postgresOptions),
    startNats(natsOptions),
  ]);
  await keepWhatIsAcknowledged(postgres.url);
  const servers = { postgres, nats };
  closers.push(() => place.stop());
  const { anvil, chain, demo } = place;
  const { signer, fundingWallet } = DEV_KEYS;

  const proxies = async (url: string): Promise<Record<Edge, TcpProxy>> => {
    const pairs = await Promise.all(EDGES.map(async (edge) => [edge, await TcpProxy.start(url)] as const));
    for (const [, proxy] of pairs) closers.push(() => proxy.stop());
    return Object.fromEntries(pairs) as Record<Edge, TcpProxy>;
  };
  const toPostgres = await proxies(postgres.url);
  const toNats = await proxies(nats.url);
  const chainOfSenders = await lyingProxy(anvil.url, lies.everyAccountDeployed());
  closers.push(() => chainOfSenders.stop());
  const providers = await Promise.all(Array.from({ length: PROVIDERS }, () => lyingProxy(chainOfSenders.url)));
  for (const provider of providers) closers.push(() => provider.stop());

  const chainsFile = join(folder, 'chains.json');
  const settings = {
    rpcUrls: providers.map(({ url }) => url),
    // So short that a row can wait for it.
    maxHeadAgeSeconds: 10,
    ...{ finality: { tag: 'finalized' }, startBlock: 0 },
  };
  writeFileSync(chainsFile, JSON.stringify({ chains: [place.chainsEntry(settings, ['0.6'])] }));
  const indexKey = randomBytes(32).toString('hex');
  const envOf = (edge: Edge): NodeJS.ProcessEnv => ({
    DATABASE_URL: toPostgres[edge].through(postgres.url),
    NATS_URL: toNats[edge].through(nats.url),
    CHAINS_FILE: chainsFile,
    API_KEY_INDEX_KEY: indexKey,
  });
  const start = (name: 'dashboard' | 'settlement' | 'paymaster-rpc', label: string, env: NodeJS.ProcessEnv) =>
    AppProcess.start({ name, env, log: log(label) });
  const dashboardEnv = {
    ...envOf('dashboards'),
    API_KEY_ENCRYPTION_KEY: '22'.repeat(32),
    RUN_MIGRATIONS: 'true',
    MAX_PAYMASTERS_PER_ACCOUNT: '2000',
    DRAIN_SECONDS,
  };
  const dashboards = [await start('dashboard', 'dashboard-1', dashboardEnv)];
  dashboards.push(await start('dashboard', 'dashboard-2', { ...dashboardEnv, RUN_MIGRATIONS: 'false' }));
  const stream = { STREAM_MAX_BYTES: '67108864' };
  await makeEventStream({ NATS_URL: nats.url, ...stream });
  const settlement = await start('settlement', 'settlement', {
    ...envOf('settlement'),
    QUIET_POLL_INTERVAL_MS: '1000',
    LEASE_TTL_SECONDS: '5',
    ...stream,
  });
  const gatewayEnv: NodeJS.ProcessEnv = {
    ...envOf('gateways'),
    SIGNER_PRIVATE_KEY: signer.privateKey,
    DRAIN_SECONDS,
    // Own bound: see ROOMY_CAPS.
    RATE_LIMIT_PER_KEY_PER_SECOND: '0',
    MAX_LIVE_SIGNATURES_PER_SENDER: MANY,
    MAX_LIVE_SIGNATURES_PER_CLIENT: MANY,
    MAX_LIVE_SIGNATURES_PER_PAYMASTER: MANY,
  };
  const gateway = (number: number) => start('paymaster-rpc', `gateway-${number}`, gatewayEnv);
  const gateways = await Promise.all([gateway(1), gateway(2)]);

  const env = { DATABASE_URL: postgres.url };
  const { authToken } = await accountCommand<{ authToken: string }>(env, 'create', '--name', 'faults');
  const paymaster = await seedPaymaster({
    dashboard: new DashboardClient(dashboards[0]!.url, authToken),
    name: `faults ${randomUUID()}`,
    chainId: CHAIN_ID,
    demoContract: demo.address,
    fundingWallet,
  });
  await raiseCaps({ dashboard: dashboards[0]!.url, authToken, apiKey: paymaster.apiKey });
  return {
    ...{ folder, anvil, chain, servers, providers, gateways, dashboards, settlement, paymaster, authToken, demo },
    contract: place.paymasters['0.6'],
    postgres: toPostgres,
    nats: toNats,
    async restartPostgres() {
      servers.postgres = await onSamePort(postgresOptions.port, (port) => startPostgres({ ...postgresOptions, port }));
    },
    async restartNats() {
      servers.nats = await onSamePort(natsOptions.port, (port) => startNats({ ...natsOptions, port }));
    },
    anotherGateway: (env) => start('paymaster-rpc', 'gateway-more', { ...gatewayEnv, ...env }),
    stop,
  };
}

/** The disk may be slow, and nobody cuts the power here; but a commit has to outlive a kill. */
async function keepWhatIsAcknowledged(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('ALTER DATABASE paymaster SET synchronous_commit = on');
  } finally {
    await client.end();
  }
}

/** Requests of one address that live at once. */
async function raiseCaps(owner: { dashboard: string; authToken: string; apiKey: string }): Promise<void> {
  const { dashboard, authToken, apiKey } = owner;
  const response = await fetch(`${dashboard}/api/v2/public/sdk/paymaster-settings`, {
    method: 'PATCH',
    headers: { authToken, apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(ROOMY_CAPS),
  });
  if (!response.ok) throw new Error(`the caps were not raised: ${response.status} ${await response.text()}`);
}
