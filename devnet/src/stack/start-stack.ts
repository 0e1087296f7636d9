import { CANONICAL_ENTRY_POINTS, ENTRY_POINT_VERSIONS, type Hex } from '@paymaster/domain';
import { CANONICAL_ACCOUNT_FACTORIES, deployCanonicalContracts, type PerVersion } from '../chain/canonical-contracts';
import { connectDevChain, type DevChain } from '../chain/dev-chain';
import { ensureCoin } from '../chain/ensure-coin';
import { DEV_KEYS } from '../chain/dev-keys';
import { deployDemoContract, deployPaymasters } from '../chain/paymaster-contracts';
import { startAnvil } from '../processes/anvil';
import { startBundler } from '../processes/bundler';
import { startPostgres } from '../processes/postgres';
import { stopAllProcesses } from '../processes/process-registry';
import { startApplication } from './applications';
import { writeChainsFile } from './chains-json';
import { openDataFolder, type DataFolder } from './data-folder';
import { startSwitchableNats } from './nats-switch';
import { loadSecrets } from './secrets';
import { seed } from './seed';
import { readStackIfAny, writeStack, type Stack } from './stack-file';

export interface StackOptions {
  /** Folder of everything the world keeps. */
  readonly dataDir: string;
  /** Wanted ports count up from here; each falls back to a free one. */
  readonly basePort?: number;
  /** Told what is up, one line at a time. */
  readonly progress?: (line: string) => void;
}

export interface RunningStack {
  readonly stack: Stack;
  readonly stackFile: string;
  /** Resolves with a sentence when a part of the world ends by itself. */
  readonly died: Promise<string>;
  stop(): Promise<void>;
}

interface World extends StackOptions {
  readonly folder: DataFolder;
  readonly progress: (line: string) => void;
  readonly deaths: Array<Promise<string>>;
  /** The wanted port of a part, or undefined for any. */
  readonly port: (part: (typeof PORT_ORDER)[number]) => number | undefined;
}

const PORT_ORDER = ['paymaster-rpc', 'dashboard', 'chain', 'bundler', 'postgres', 'nats'] as const;

/**
 * Starts the whole local world and writes its `stack.json`. DATABASE_URL, NATS_URL, CHAIN_RPC_URL and BUNDLER_URL
 * each replace a part. Data of an earlier start in the same folder is used again.
 *
 * @throws when a part does not come up; nothing is left running then
 */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const folder = openDataFolder(options.dataDir);
  const { basePort } = options;
  const world: World = {
    ...options,
    folder,
    progress: options.progress ?? (() => undefined),
    deaths: [],
    port: (part) => basePort && basePort + PORT_ORDER.indexOf(part),
  };
  const stop = async () => {
    await stopAllProcesses();
    folder.unlock();
  };
  try {
    const stack = await bringUp(world);
    writeStack(folder.stackFile, stack);
    return { stack, stackFile: folder.stackFile, died: Promise.race(world.deaths), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function bringUp(world: World): Promise<Stack> {
  const [databaseUrl, natsUrl, chainRpc] = await allOrFirstError([
    database(world),
    messageBroker(world),
    localChain(world),
  ]);
  const chain = await connectDevChain({ rpcUrl: chainRpc, privateKey: DEV_KEYS.owner.privateKey });
  const { paymasters, demoContract } = await contracts(world, chain);
  const bundler = await bundlerOf(world, chainRpc);

  writeChainsFile(world.folder.chainsFile, { chainId: chain.chainId, chainRpc, bundler, paymasters });
  const { dashboard, paymasterRpc } = await applications(world, { databaseUrl, natsUrl });
  const seeded = await seed({
    dashboard,
    databaseUrl,
    chainId: chain.chainId,
    demoContract: demoContract.address,
    fundingWallet: DEV_KEYS.fundingWallet,
    authToken: readStackIfAny(world.folder.stackFile)?.authToken,
  });
  world.progress(`seed           paymaster "${seeded.paymaster.name}" sponsors DemoCounter at ${demoContract.address}`);

  return {
    paymasterRpc,
    dashboard,
    chainId: chain.chainId,
    chainRpc,
    bundler,
    databaseUrl,
    natsUrl,
    entryPoints: CANONICAL_ENTRY_POINTS,
    paymasters,
    accountFactories: CANONICAL_ACCOUNT_FACTORIES,
    tokens: [],
    demoContract,
    ...seeded,
    devKeys: DEV_KEYS,
  };
}

async function database(world: World): Promise<string> {
  const given = process.env['DATABASE_URL'];
  if (given) return replaced(world, 'Postgres', given);
  const { folder, port } = world;
  const log = folder.log('postgres');
  const postgres = await startPostgres({ dataDir: folder.postgres, port: port('postgres'), log });
  return started(world, 'Postgres', postgres);
}

async function messageBroker(world: World): Promise<string> {
  const given = process.env['NATS_URL'];
  if (given) return replaced(world, 'NATS', given);
  const { folder, port } = world;
  const log = folder.log('nats-server');
  const { nats: dataDir, natsOffFile: offFile } = folder;
  return started(world, 'NATS', await startSwitchableNats({ dataDir, offFile, port: port('nats'), log }));
}

async function localChain(world: World): Promise<string> {
  const given = process.env['CHAIN_RPC_URL'];
  if (given) return replaced(world, 'chain', given);
  const { folder, port } = world;
  const log = folder.log('anvil');
  return started(world, 'chain', await startAnvil({ stateFile: folder.chainState, port: port('chain'), log }));
}

async function contracts(
  world: World,
  chain: DevChain,
): Promise<{ paymasters: PerVersion<Hex>; demoContract: { address: Hex; callData: Hex } }> {
  await ensureCoin(chain, [DEV_KEYS.owner, DEV_KEYS.bundlerExecutor, DEV_KEYS.bundlerUtility]);
  await deployCanonicalContracts(chain);
  const paymasters = await deployPaymasters(chain, {
    signer: DEV_KEYS.signer.address,
    fundingWallet: DEV_KEYS.fundingWallet.address,
  });
  for (const version of ENTRY_POINT_VERSIONS) {
    world.progress(`contract       paymaster for EntryPoint v${version} at ${paymasters[version]}, staked and funded`);
  }
  return { paymasters, demoContract: await deployDemoContract(chain) };
}

async function bundlerOf(world: World, chainRpc: string): Promise<string> {
  const given = process.env['BUNDLER_URL'];
  if (given) return replaced(world, 'bundler', given);
  const bundler = await startBundler({
    chainRpc,
    entryPoints: Object.values(CANONICAL_ENTRY_POINTS),
    executorKey: DEV_KEYS.bundlerExecutor.privateKey,
    utilityKey: DEV_KEYS.bundlerUtility.privateKey,
    port: world.port('bundler'),
    log: world.folder.log('bundler'),
  });
  return started(world, 'bundler', bundler);
}

async function applications(
  world: World,
  urls: { databaseUrl: string; natsUrl: string },
): Promise<{ dashboard: string; paymasterRpc: string }> {
  const { folder, port } = world;
  const secrets = loadSecrets(folder.secretsFile);
  const env = { NATS_URL: urls.natsUrl, CHAINS_FILE: folder.chainsFile, API_KEY_INDEX_KEY: secrets.apiKeyIndexKey };
  const dashboardApp = await startApplication({
    name: 'dashboard',
    env: {
      ...env,
      DATABASE_URL: urls.databaseUrl,
      API_KEY_ENCRYPTION_KEY: secrets.apiKeyEncryptionKey,
      RUN_MIGRATIONS: 'true',
    },
    port: port('dashboard'),
    log: folder.log('dashboard'),
  });
  const dashboard = started(world, 'dashboard', dashboardApp);
  const gatewayApp = await startApplication({
    name: 'paymaster-rpc',
    env: { ...env, SIGNER_PRIVATE_KEY: DEV_KEYS.signer.privateKey },
    port: port('paymaster-rpc'),
    log: folder.log('paymaster-rpc'),
  });
  return { dashboard, paymasterRpc: started(world, 'gateway', gatewayApp) };
}

function started(world: World, part: string, { url, died }: { url: string; died: Promise<string> }): string {
  world.deaths.push(died);
  world.progress(`${part.padEnd(14)} ${withoutPassword(url)}`);
  return url;
}

function replaced(world: World, part: string, url: string): string {
  world.progress(`${part.padEnd(14)} ${withoutPassword(url)} (given, not started)`);
  return url;
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}

/** Like Promise.all, but waits for the others before it fails, so that none starts after the clean-up. */
async function allOrFirstError<T extends readonly unknown[]>(parts: {
  [K in keyof T]: Promise<T[K]>;
}): Promise<T> {
  const results = await Promise.allSettled(parts);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return Promise.all(parts) as unknown as Promise<T>;
}
