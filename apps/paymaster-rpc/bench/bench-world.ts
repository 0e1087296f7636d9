import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  connectDevChain,
  deployCanonicalContracts,
  deployDemoContract,
  deployPaymasters,
  DEV_KEYS,
  freePort,
  startAnvil,
  startNats,
} from '@paymaster/devnet';
import { CANONICAL_ENTRY_POINTS, normalizeAddress, type Address, type Hex } from '@paymaster/domain';
import { policySnapshotBuilder } from '@paymaster/domain/testing';
import { randomApiKey } from '../src/testing/api-key';
import { PolicyResponder } from '../src/testing/policy-responder';
import { PinnedServer } from './pinned-server';
import type { QuotedToken } from './quote-requests';
import { priceTokens } from './quoted-tokens';
import { startRpcCounter, type RpcCounter } from './rpc-counter';

const ROOT = join(__dirname, '../../..');
const CHAIN_ID = 31337;

/** The two servers and what they need: a real chain, a real broker and a responder with one warm policy. */
export interface BenchWorld {
  readonly product: PinnedServer;
  readonly floor: PinnedServer;
  /** Where both take the requests. */
  readonly path: string;
  readonly chainId: number;
  readonly paymaster: Address;
  readonly demo: { readonly address: Address; readonly selector: Hex };
  /** What fees can be paid in. */
  readonly tokens: readonly QuotedToken[];
  /** What the product asks its node. */
  readonly rpcCalls: RpcCounter;
  readonly signerPrivateKey: Hex;
  stop(): Promise<void>;
}

export async function startBenchWorld(options: { nodeArguments?: readonly string[] } = {}): Promise<BenchWorld> {
  const closers: Array<() => Promise<unknown>> = [];
  const stop = async (): Promise<void> => {
    for (const close of closers.reverse()) await close();
  };
  try {
    const [anvil, nats] = await Promise.all([startAnvil(), startNats()]);
    closers.push(() => Promise.all([anvil.stop(), nats.stop()]));
    const chain = await connectDevChain({ rpcUrl: anvil.url, privateKey: DEV_KEYS.owner.privateKey });
    await deployCanonicalContracts(chain);
    const fundingWallet = normalizeAddress(DEV_KEYS.fundingWallet.address);
    const paymasters = await deployPaymasters(chain, { signer: DEV_KEYS.signer.address, fundingWallet });
    const paymaster = normalizeAddress(paymasters['0.6']);
    const deployed = await deployDemoContract(chain);
    const demo = {
      address: normalizeAddress(deployed.address),
      selector: `0x${deployed.callData.slice(2, 10)}` as Hex,
    };

    const folder = mkdtempSync(join(tmpdir(), 'paymaster-bench-'));
    closers.push(async () => rmSync(folder, { recursive: true, force: true }));
    const chainsFile = join(folder, 'chains.json');
    const entryPoints = { '0.6': { entryPoint: CANONICAL_ENTRY_POINTS['0.6'], paymaster } };
    const bundlerUrl = 'http://127.0.0.1:9';
    const rpcCalls = await startRpcCounter(anvil.url);
    closers.push(() => rpcCalls.stop());
    const { tokens, ...prices } = await priceTokens(chain, folder);
    const local = { chainId: CHAIN_ID, name: 'local', rpcUrls: [rpcCalls.url], bundlerUrl, entryPoints };
    const settings = { maxHeadAgeSeconds: 60, bounds: { feeFloorWei: '10000000000' }, ...prices };
    writeFileSync(chainsFile, JSON.stringify({ chains: [{ ...local, ...settings }] }));

    const indexKey = randomBytes(32).toString('hex');
    const responder = await PolicyResponder.start({ natsUrl: nats.url, indexKey });
    closers.push(() => responder.stop());
    const apiKey = randomApiKey();
    const snapshot = policySnapshotBuilder()
      .with('chainId', CHAIN_ID)
      .with('fundingWallet', fundingWallet)
      .with('contracts', [{ address: demo.address, selectors: [demo.selector] }])
      .build();
    responder.set(apiKey, snapshot);

    const productPort = await freePort();
    const product = await PinnedServer.start({
      name: 'product',
      port: productPort,
      args: [...(options.nodeArguments ?? []), join(ROOT, 'dist/apps/paymaster-rpc/main.js')],
      env: {
        NODE_ENV: 'development',
        HOST: '127.0.0.1',
        NATS_URL: nats.url,
        CHAINS_FILE: chainsFile,
        API_KEY_INDEX_KEY: indexKey,
        SIGNER_PRIVATE_KEY: DEV_KEYS.signer.privateKey,
        // High, not off: the check is part of what is measured.
        RATE_LIMIT_PER_KEY_PER_SECOND: '1000000',
        DRAIN_SECONDS: '0',
      },
      isReady: async () => (await fetch(`http://127.0.0.1:${productPort}/health/ready`)).ok,
    });
    closers.push(() => product.stop());
    const floorPort = await freePort();
    const floor = await PinnedServer.start({
      name: 'floor',
      port: floorPort,
      args: ['-r', '@swc-node/register', join(__dirname, 'floor-server.ts')],
      env: {
        NODE_ENV: 'production',
        CHAIN_ID: String(CHAIN_ID),
        PAYMASTER: paymaster,
        FUNDING_WALLET: fundingWallet,
        SIGNER_PRIVATE_KEY: DEV_KEYS.signer.privateKey,
      },
      isReady: async () => (await fetch(`http://127.0.0.1:${floorPort}/`)).status === 404,
    });
    closers.push(() => floor.stop());
    const signerPrivateKey = DEV_KEYS.signer.privateKey;
    const path = `/api/v2/${CHAIN_ID}/${apiKey}`;
    return { product, floor, path, chainId: CHAIN_ID, paymaster, demo, tokens, rpcCalls, signerPrivateKey, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
