import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEV_KEYS, freePort, placeAccounts, startNats, world } from '@paymaster/devnet';
import { DEFAULT_PAYMASTER_SETTINGS, normalizeAddress, type Address, type Hex } from '@paymaster/domain';
import { policySnapshotBuilder, randomAddress } from '@paymaster/domain/testing';
import { randomApiKey } from '../src/testing/api-key';
import { PolicyResponder } from '../src/testing/policy-responder';
import { BUILT_FLOOR, BUILT_GATEWAY, BUILT_GATEWAY_WITHOUT_LEDGER, MANY, startBenchGateway } from './bench-apps';
import { startBenchLedger, type BenchLedger } from './bench-ledger';
import { PinnedServer } from './pinned-server';
import type { QuotedToken } from './quote-requests';
import { priceTokens } from './quoted-tokens';
import { startRpcCounter, type RpcCounter } from './rpc-counter';

const CHAIN_ID = 31337;
/** As many as a server's warm-up asks for once: from then on it knows them all. */
const SENDERS = 3_000;
const FIRST_SENDER = 0xacc0n << 144n;
const NO_BUNDLER = 'http://127.0.0.1:9';
/** More than any measurement asks for; wei. */
const RICH_WEI = 10n ** 24n;
/** Own bound: a measurement asks from one address, and nobody here settles what was signed. */
const UNCAPPED = { perSender: MANY, perClient: MANY, perPaymaster: MANY, clientSharePercent: 100 };

/** A paymaster with a wallet of its own. */
export interface BenchPaymaster {
  readonly paymasterId: string;
  /** Where servers take its requests. */
  readonly path: string;
}

export interface FundedPaymaster extends BenchPaymaster {
  readonly fundingWallet: Address;
}

/** Whom a server asks about the chain. */
interface AskedOfChain {
  readonly rpcUrl: string;
  /** Null: nobody, so the server estimates gas by itself. A bundler that is not there by default. */
  readonly bundlerUrl?: string | null;
}

/** The servers and what they need: a real chain, broker and ledger, and a responder with warm policies. */
export interface BenchWorld {
  readonly floor: PinnedServer;
  /** The gateway without its reservations. */
  readonly unreserved: PinnedServer;
  readonly product: PinnedServer;
  /** Starts one more process of the product, which asks the world's node itself unless told otherwise. */
  another(asked?: AskedOfChain): Promise<PinnedServer>;
  /** One that can pay for everything, whose requests are sent unless a target is about others. */
  readonly paymaster: BenchPaymaster;
  newPaymaster(spendableWei?: bigint): Promise<FundedPaymaster>;
  readonly ledger: BenchLedger;
  readonly chainId: number;
  /** The node itself. */
  readonly rpcUrl: string;
  /** Of EntryPoint v0.6. */
  readonly contract: Address;
  readonly demo: { readonly address: Address; readonly selector: Hex };
  /** What fees can be paid in. */
  readonly tokens: readonly QuotedToken[];
  /** What the product asks its node. */
  readonly rpcCalls: RpcCounter;
  /** Deployed accounts, whose code servers remember from the first operation on. */
  readonly senders: readonly Address[];
  readonly signerPrivateKey: Hex;
  /** What worlds with tenants of their own read of this chain. */
  readonly chainsFile: string;
  stop(): Promise<void>;
}

export async function startBenchWorld(options: { nodeArguments?: readonly string[] } = {}): Promise<BenchWorld> {
  const closers: Array<() => Promise<unknown>> = [];
  const stop = async (): Promise<void> => {
    for (const close of closers.reverse()) await close();
  };
  try {
    const [place, nats, ledger] = await Promise.all([world(), startNats(), startBenchLedger(CHAIN_ID)]);
    closers.push(() => Promise.all([place.stop(), nats.stop(), ledger.stop()]));
    const { anvil, chain, paymasters } = place;
    const [contract, contractV07] = [paymasters['0.6'], paymasters['0.7']];
    const selector: Hex = `0x${place.demo.callData.slice(2, 10)}`;
    const demo = { address: place.demo.address, selector };
    const { signer, fundingWallet } = DEV_KEYS;

    const senders = await placeAccounts(anvil.url, { first: FIRST_SENDER, count: SENDERS });
    const folder = mkdtempSync(join(tmpdir(), 'paymaster-bench-'));
    closers.push(async () => rmSync(folder, { recursive: true, force: true }));
    const rpcCalls = await startRpcCounter(anvil.url);
    closers.push(() => rpcCalls.stop());
    const { tokens, ...prices } = await priceTokens(chain, folder);
    const chainsFile = (name: string, { rpcUrl, bundlerUrl = NO_BUNDLER }: AskedOfChain): string => {
      const file = join(folder, name);
      // Without a block time, as in the runs that a measurement is compared with.
      const changes = {
        rpcUrls: [rpcUrl],
        bundlerUrl: bundlerUrl ?? undefined,
        blockTimeSeconds: undefined,
        ...prices,
      };
      const entry = place.chainsEntry(changes, ['0.6', '0.7']);
      writeFileSync(file, JSON.stringify({ chains: [entry] }));
      return file;
    };

    const indexKey = randomBytes(32).toString('hex');
    const responder = await PolicyResponder.start({ natsUrl: nats.url, indexKey });
    closers.push(() => responder.stop());
    const newPaymaster = async (spendableWei = RICH_WEI): Promise<FundedPaymaster> => {
      const wallet = randomAddress();
      for (const each of [contract, contractV07]) await ledger.fund({ contract: each, wallet, spendableWei });
      const snapshot = policySnapshotBuilder()
        .with('chainId', CHAIN_ID)
        .with('fundingWallet', wallet)
        .with('contracts', [{ address: demo.address, selectors: [demo.selector] }])
        // Own bound: see UNCAPPED.
        .with('settings', { ...DEFAULT_PAYMASTER_SETTINGS, liveSignatureCaps: UNCAPPED })
        .build();
      const apiKey = randomApiKey();
      responder.set(apiKey, snapshot);
      return { paymasterId: snapshot.paymasterId, path: `/api/v2/${CHAIN_ID}/${apiKey}`, fundingWallet: wallet };
    };

    const startGateway = async (name: string, args: readonly string[], asked: AskedOfChain): Promise<PinnedServer> => {
      const chains = chainsFile(`${name}.json`, asked);
      const server = await startBenchGateway({
        ...{ name, args, natsUrl: nats.url, databaseUrl: ledger.databaseUrl, indexKey, chainsFile: chains },
        signerPrivateKey: signer.privateKey,
      });
      closers.push(() => server.stop());
      return server;
    };
    const built = [...(options.nodeArguments ?? []), BUILT_GATEWAY];
    const product = await startGateway('product', built, { rpcUrl: rpcCalls.url });
    const unreserved = await startGateway('unreserved', [BUILT_GATEWAY_WITHOUT_LEDGER], { rpcUrl: anvil.url });
    const floorPort = await freePort();
    const floor = await PinnedServer.start({
      name: 'floor',
      port: floorPort,
      args: [BUILT_FLOOR],
      env: {
        NODE_ENV: 'production',
        CHAIN_ID: String(CHAIN_ID),
        PAYMASTER: contract,
        FUNDING_WALLET: normalizeAddress(fundingWallet.address),
        SIGNER_PRIVATE_KEY: signer.privateKey,
      },
      isReady: async () => (await fetch(`http://127.0.0.1:${floorPort}/`)).status === 404,
    });
    closers.push(() => floor.stop());
    return {
      ...{ floor, unreserved, product, ledger, contract, demo, tokens, rpcCalls, senders, newPaymaster, stop },
      another: (asked = { rpcUrl: anvil.url }) => startGateway('another', built, asked),
      rpcUrl: anvil.url,
      paymaster: await newPaymaster(),
      chainId: CHAIN_ID,
      signerPrivateKey: signer.privateKey,
      chainsFile: chainsFile('tenants.json', { rpcUrl: anvil.url }),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
