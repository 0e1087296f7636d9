import { CANONICAL_ENTRY_POINTS } from '@paymaster/domain';
import { CANONICAL_ACCOUNT_FACTORIES } from '../chain/canonical-contracts';
import { connectDevChain } from '../chain/dev-chain';
import { DEV_KEYS } from '../chain/dev-keys';
import { stopAllProcesses } from '../processes/process-registry';
import { writeChainsFile } from './chains-json';
import { openDataFolder } from './data-folder';
import { seed } from './seed';
import { readStackIfAny, writeStack, type Stack } from './stack-file';
import { writeTokenList } from './token-list';
import {
  applications,
  bundler,
  contracts,
  database,
  localChain,
  mail,
  messageBroker,
  PORT_ORDER,
  prices,
  type World,
} from './world-parts';

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
    folder,
    progress: options.progress ?? (() => undefined),
    deaths: [],
    closers: [],
    port: (part) => basePort && basePort + PORT_ORDER.indexOf(part),
  };
  const stop = async () => {
    await stopAllProcesses();
    for (const close of world.closers) await close();
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
  const { paymasters, demoContract, tokens, feeds } = await contracts(world, chain);
  const [bundlerUrl, priceServer, mailServer] = await allOrFirstError([
    bundler(world, chainRpc),
    prices(world, { chainRpc, feeds }),
    mail(world),
  ]);

  const { chainsFile, tokensFile } = world.folder;
  writeTokenList(tokensFile, { chainId: chain.chainId, tokens, feeds });
  writeChainsFile(chainsFile, {
    chainId: chain.chainId,
    chainRpc,
    bundler: bundlerUrl,
    paymasters,
    feeds,
    tokensFile,
  });
  const { dashboard, settlement, paymasterRpc, paymasterRpcMonitor } = await applications(world, {
    databaseUrl,
    natsUrl,
    priceApi: priceServer.url,
    smtp: mailServer.url,
  });
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
    paymasterRpcMonitor,
    dashboard,
    settlement,
    chainId: chain.chainId,
    chainRpc,
    bundler: bundlerUrl,
    databaseUrl,
    natsUrl,
    entryPoints: CANONICAL_ENTRY_POINTS,
    paymasters,
    accountFactories: CANONICAL_ACCOUNT_FACTORIES,
    tokens: tokens.map(({ symbol, address, decimals }) => ({ symbol, address, decimals })),
    feeds,
    priceServer,
    mailLog: mailServer.file,
    demoContract,
    ...seeded,
    devKeys: DEV_KEYS,
  };
}

/** Like Promise.all, but waits for the others before it fails, so that none starts after the clean-up. */
async function allOrFirstError<T extends readonly unknown[]>(parts: {
  [K in keyof T]: Promise<T[K]>;
}): Promise<T> {
  const results = await Promise.allSettled(parts);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return Promise.all(parts) as unknown as Promise<T>;
}
