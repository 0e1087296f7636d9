import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lies, lyingProxy, type LyingProxy } from '@paymaster/chain/testing';
import {
  BLOCK_GAS_LIMIT,
  builtFile,
  connectDevChain,
  DashboardClient,
  DEV_KEYS,
  deployCanonicalContracts,
  deployDemoContract,
  deployPaymasters,
  freePort,
  makeEventStream,
  Neighbours,
  paymasterAbi,
  rpc,
  seedPaymaster,
  startAnvil,
  startNats,
  startPostgres,
  stopAllProcesses,
  type Anvil,
  type DevChain,
  type Nats,
  type Postgres,
} from '@paymaster/devnet';
import { CANONICAL_ENTRY_POINTS, normalizeAddress, type Address } from '@paymaster/domain';
import { Client } from 'pg';
import { encodeFunctionData, numberToHex, parseEther } from 'viem';
import { TcpProxy } from '../network/tcp-proxy';
import { AppProcess } from './app-process';

export const CHAIN_ID = 31337;
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
  const [anvil, postgres, nats] = await Promise.all([
    startAnvil({ blockGasLimit: BLOCK_GAS_LIMIT }),
    startPostgres(postgresOptions),
    startNats(natsOptions),
  ]);
  await keepWhatIsAcknowledged(postgres.url);
  const servers = { postgres, nats };
  const chain = await connectDevChain({ rpcUrl: anvil.url, privateKey: DEV_KEYS.owner.privateKey });
  const neighbours = await Neighbours.settle(anvil.url);
  closers.push(() => neighbours.stop());
  await deployCanonicalContracts(chain);
  const { signer, fundingWallet } = DEV_KEYS;
  const paymasters = await deployPaymasters(chain, { signer: signer.address, fundingWallet: fundingWallet.address });
  const contract = normalizeAddress(paymasters['0.6']);
  await rpc(anvil.url, 'anvil_setBalance', [DEV_KEYS.owner.address, numberToHex(2n * DEPOSIT_WEI)]);
  const deposit = encodeFunctionData({ abi: paymasterAbi, functionName: 'depositFor', args: [fundingWallet.address] });
  await chain.execute({ to: contract, data: deposit, value: DEPOSIT_WEI });
  const demo = await deployDemoContract(chain);

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
  writeFileSync(chainsFile, chainsJson({ rpcUrls: providers.map(({ url }) => url), contract }));
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
    POLL_INTERVAL_MS: '250',
    QUIET_POLL_INTERVAL_MS: '250',
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

  const authToken = await createAccount(postgres.url);
  const paymaster = await seedPaymaster({
    dashboard: new DashboardClient(dashboards[0]!.url, authToken),
    name: `faults ${randomUUID()}`,
    chainId: CHAIN_ID,
    demoContract: demo.address,
    fundingWallet,
  });
  await raiseCaps({ dashboard: dashboards[0]!.url, authToken, apiKey: paymaster.apiKey });
  return {
    ...{ folder, anvil, chain, servers, providers, gateways, dashboards, settlement, paymaster, authToken, contract },
    postgres: toPostgres,
    nats: toNats,
    demo: { address: normalizeAddress(demo.address), callData: demo.callData },
    async restartPostgres() {
      servers.postgres = await onSamePort(() => startPostgres(postgresOptions), postgresOptions.port);
    },
    async restartNats() {
      servers.nats = await onSamePort(() => startNats(natsOptions), natsOptions.port);
    },
    anotherGateway: (env) => start('paymaster-rpc', 'gateway-more', { ...gatewayEnv, ...env }),
    stop,
  };
}

function chainsJson({ rpcUrls, contract }: { rpcUrls: readonly string[]; contract: Address }): string {
  const chain = {
    chainId: CHAIN_ID,
    name: 'local',
    rpcUrls,
    bundlerUrl: 'http://127.0.0.1:9',
    entryPoints: { '0.6': { entryPoint: CANONICAL_ENTRY_POINTS['0.6'], paymaster: contract } },
    blockTimeSeconds: 1,
    // So short that a row can wait for it.
    maxHeadAgeSeconds: 10,
    finality: { tag: 'finalized' },
    startBlock: 0,
  };
  return JSON.stringify({ chains: [chain] });
}

async function createAccount(databaseUrl: string): Promise<string> {
  const args = [builtFile('dashboard', 'account.js'), 'create', '--name', 'faults', '--json'];
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return (JSON.parse(stdout) as { authToken: string }).authToken;
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

/** Somebody may have the port for a moment. */
async function onSamePort<Server extends { port: number; stop(): Promise<void> }>(
  start: () => Promise<Server>,
  port: number,
): Promise<Server> {
  for (;;) {
    const server = await start();
    if (server.port === port) return server;
    await server.stop();
  }
}
