import 'reflect-metadata';
import { fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { lies, lyingProxy, type LyingProxy } from '@paymaster/chain/testing';
import {
  DEV_KEYS,
  LOCAL_CHAIN_ID as CHAIN_ID,
  startNats,
  world as startChain,
  type Anvil,
  type DevChain,
  type Nats,
  type WorldOptions as ChainOptions,
} from '@paymaster/devnet';
import {
  normalizeAddress,
  type Address,
  type EntryPointVersion,
  type Hex,
  type PolicySnapshot,
} from '@paymaster/domain';
import { policySnapshotBuilder, until } from '@paymaster/domain/testing';
import { loadConfig } from '@paymaster/nest-kit';
import type { Deadlines } from '../platform/config/deadlines';
import { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { createGateway } from '../create-gateway';
import { randomApiKey } from './api-key';
import { startLedgerWorld, type LedgerWorld } from './ledger-world';
import { PolicyResponder } from './policy-responder';

/** A chain, a broker, the ledger's database, a responder in place of the dashboard, and the gateway. */
export interface GatewayWorld {
  readonly app: NestFastifyApplication;
  /** Base URL, without a path. */
  readonly url: string;
  readonly anvil: Anvil;
  /** The RPC server from which the gateway reads the chain. By default it claims that every account is deployed. */
  readonly node: LyingProxy;
  /** The NATS server. A test that stops it assigns the next server here. */
  readonly broker: { current: Nats };
  readonly responder: PolicyResponder;
  readonly ledger: LedgerWorld;
  readonly paymasters: Readonly<Record<EntryPointVersion, Address>>;
  readonly demo: { readonly address: Address; readonly callData: Hex };
  /**
   * A paymaster that has a funded wallet and sponsors the demo contract's method. A test changes the fields that it is
   * about.
   */
  newPaymaster(changes?: Partial<PolicySnapshot>): { apiKey: string; snapshot: PolicySnapshot };
  /**
   * Starts one more gateway beside the first, on the same database, broker and chain.
   *
   * @param chainChanges fields of the chain in its chains.json that differ from the first gateway's
   * @returns its base URL
   */
  another(chainChanges?: object): Promise<string>;
  /**
   * The same in a process of its own, where a test measures time: the first gateway shares its process with Jest, with
   * what the world has beside gateways, and with the memory that all of these leave to be collected.
   */
  alone(): Promise<{ readonly url: string; readonly pid: number }>;
  /** Ends the gateway that {@link another} started at this URL. */
  end(url: string): Promise<void>;
  stop(): Promise<void>;
}

export interface WorldOptions extends ChainOptions {
  readonly bundlerUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Deploys more to the chain before the gateway starts. @returns additional fields of the chain in chains.json */
  readonly prepareChain?: (preparation: ChainPreparation) => Promise<object>;
  /** Gives the ledger a Postgres that the test may stop. */
  readonly ownPostgres?: boolean;
  /** How long the gateway waits for other services; by default longer than a machine stalls. */
  readonly deadlines?: Partial<Deadlines>;
  /** The status of readiness for which the world waits at its start; 200 by default. */
  readonly readiness?: number;
}

/** A chain with our contracts on it, before the gateway knows of it. */
export interface ChainPreparation {
  readonly chain: DevChain;
  readonly anvil: Anvil;
  /** A folder for files that live as long as the world. */
  readonly folder: string;
  /** Called when the world ends. */
  readonly onStop: (close: () => Promise<unknown> | void) => void;
}

/** No service here is slow on purpose, but the machine may be. */
const PATIENT: Deadlines = {
  ...{ requestMs: 60_000, ledgerMs: 60_000, policyMs: 60_000, decisionMs: 60_000, trialMs: 30_000 },
};
const READY_MS = 120_000;
const TYPESCRIPT = ['-r', './devnet/load-typescript.cjs'];

/** Starts everything on free ports; a failed start leaves nothing behind. */
export async function startGatewayWorld(options: WorldOptions = {}): Promise<GatewayWorld> {
  const closers: Closer[] = [];
  try {
    return await buildWorld(options, closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

type Closer = () => Promise<unknown> | void;

async function closeAll(closers: Closer[]): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

async function buildWorld(options: WorldOptions, closers: Closer[]): Promise<GatewayWorld> {
  const { bundlerUrl, env = {}, readiness = 200, prepareChain, ownPostgres = false, deadlines = PATIENT } = options;
  const [place, nats] = await Promise.all([startChain(options), startNats()]);
  const broker = { current: nats };
  closers.push(() => Promise.all([place.stop(), broker.current.stop()]));
  const { anvil, chain, paymasters, demo } = place;
  const ledger = await startLedgerWorld(chain, { ownServer: ownPostgres });
  closers.push(() => ledger.stop());
  await ledger.seeChain();
  for (const contract of Object.values(paymasters)) {
    await ledger.seeWallet({ contract, wallet: DEV_KEYS.fundingWallet.address });
  }

  const folder = mkdtempSync(join(tmpdir(), 'paymaster-rpc-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const chainsFile = join(folder, 'chains.json');
  const more = await prepareChain?.({ chain, anvil, folder, onStop: (close) => void closers.push(close) });
  const node = await lyingProxy(anvil.url, lies.everyAccountDeployed());
  closers.push(() => node.stop());
  const basics = place.chainsEntry({ rpcUrls: [node.url], ...(bundlerUrl && { bundlerUrl }) });
  const writeChains = (file: string, changes: object = {}) =>
    writeFileSync(file, JSON.stringify({ chains: [{ ...basics, ...more, ...changes }] }));
  writeChains(chainsFile);
  const indexKey = randomBytes(32).toString('hex');
  const envOf = (file: string) => ({
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    PORT: '0',
    NATS_URL: nats.url,
    DATABASE_URL: ledger.url,
    CHAINS_FILE: file,
    API_KEY_INDEX_KEY: indexKey,
    SIGNER_PRIVATE_KEY: DEV_KEYS.signer.privateKey,
    DRAIN_SECONDS: '0',
    LOG_LEVEL: 'silent',
    // No settlement runs here, so the books stay as they were at the start of the world.
    LEDGER_MAX_LAG_SECONDS: '86400',
    ...env,
  });
  const responder = await PolicyResponder.start({ natsUrl: nats.url, indexKey });
  closers.push(() => responder.stop());
  const ends = new Map<string, () => Promise<void>>();
  const startGateway = async (file = chainsFile) => {
    const app = await createGateway(loadConfig(PaymasterRpcConfig, envOf(file)), { deadlines });
    let closing: Promise<void> | undefined;
    const close = () => (closing ??= app.close());
    closers.push(close);
    await app.listen(0, '127.0.0.1');
    const url = (await app.getUrl()).replace('[::1]', '127.0.0.1');
    ends.set(url, close);
    await untilReadinessIs(readiness, url);
    return { app, url };
  };
  const gateway = await startGateway();

  return {
    ...{ ...gateway, anvil, node, responder, broker, ledger, paymasters, demo },
    newPaymaster(changes = {}) {
      const snapshot: PolicySnapshot = {
        ...policySnapshotBuilder()
          .with('chainId', CHAIN_ID)
          .with('fundingWallet', normalizeAddress(DEV_KEYS.fundingWallet.address))
          .with('contracts', [{ address: demo.address, selectors: [selectorOf(demo.callData)] }])
          .build(),
        ...changes,
      };
      const apiKey = randomApiKey();
      responder.set(apiKey, snapshot);
      return { apiKey, snapshot };
    },
    async another(chainChanges) {
      // In the folder of the first file, so that relative paths in it work.
      const file = join(folder, `chains-${randomUUID()}.json`);
      writeChains(file, chainChanges);
      return (await startGateway(file)).url;
    },
    async alone() {
      const child = fork(join(__dirname, 'gateway.process.ts'), { execArgv: TYPESCRIPT, env: envOf(chainsFile) });
      const ended = once(child, 'exit');
      closers.push(() => {
        if (child.connected) child.disconnect();
        return ended;
      });
      child.send(deadlines);
      const early = ended.then(() => Promise.reject(new Error('the gateway did not come up')));
      const [url] = (await Promise.race([once(child, 'message'), early])) as [string];
      await untilReadinessIs(readiness, url);
      return { url, pid: child.pid! };
    },
    end: (url) => ends.get(url)!(),
    stop: () => closeAll(closers),
  };
}

async function untilReadinessIs(status: number, url: string): Promise<void> {
  await until(async () => (await fetch(`${url}/health/ready`)).status === status, `readiness is ${status}`, READY_MS);
}

const selectorOf = (callData: Hex): Hex => `0x${callData.slice(2, 10)}`;
