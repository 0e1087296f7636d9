import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lies, lyingProxy } from '@paymaster/chain/testing';
import {
  connectDevChain,
  deployCanonicalContracts,
  deployDemoContract,
  deployPaymasters,
  DEV_KEYS,
  paymasterAbi,
  startAnvil,
  startNats,
  startPostgres,
} from '@paymaster/devnet';
import { CANONICAL_ENTRY_POINTS, normalizeAddress, type Address, type Hex } from '@paymaster/domain';
import { encryptKeystoreJsonSync } from 'ethers';
import { Pool } from 'pg';
import { encodeFunctionData, parseEther } from 'viem';
import type { KubernetesObject } from '../deployment/render';
import type { SecretValues } from './differences';
import { writeNatsConfiguration } from './nats-configuration';

const ROOT = join(__dirname, '../..');
const APPS = ['dashboard', 'settlement', 'paymaster-rpc'] as const;
/** What the operations of an hour at full rate could cost at most. */
const DEPOSIT_WEI = parseEther('5000');

/** What a cluster would find around it: database, broker, chain with our contract, secrets, images. */
export interface World {
  readonly chainId: number;
  readonly contract: Address;
  readonly demo: { readonly address: Address; readonly selector: Hex };
  readonly databaseUrl: string;
  readonly database: Pool;
  readonly natsUrl: string;
  readonly secrets: SecretValues;
  readonly chainsJson: string;
  /** Of this rehearsal: images, volumes and logs. */
  readonly folder: string;
  /** An account of the dashboard, made with the operator's command. @returns its authToken */
  createAccount(): Promise<string>;
  stop(): Promise<void>;
}

export async function startWorld(objects: readonly KubernetesObject[]): Promise<World> {
  // In the workspace, where the built apps find their packages.
  const folder = join(ROOT, '.local', `rehearsal-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const passwords = Object.fromEntries([...APPS, 'stream-maker'].map((user) => [user, key()]));
  // Others may build while pods start: an image does not change.
  for (const app of APPS) cpSync(join(ROOT, 'dist/apps', app), join(folder, 'images', app), { recursive: true });

  const postgres = await startPostgres({ durable: true });
  const secrets = makeSecrets({ databaseUrl: postgres.url, passwords });
  const config = writeNatsConfiguration({ objects, secrets, folder: join(folder, 'nats') });
  const [nats, anvil] = await Promise.all([startNats({ config }), startAnvil()]);
  const chain = await connectDevChain({ rpcUrl: anvil.url, privateKey: DEV_KEYS.owner.privateKey });
  await deployCanonicalContracts(chain);
  const paymasters = await deployPaymasters(chain, {
    signer: DEV_KEYS.signer.address,
    fundingWallet: DEV_KEYS.fundingWallet.address,
  });
  const data = encodeFunctionData({
    abi: paymasterAbi,
    functionName: 'depositFor',
    args: [DEV_KEYS.fundingWallet.address],
  });
  await chain.execute({ to: paymasters['0.6'], data, value: DEPOSIT_WEI });
  const demo = await deployDemoContract(chain);
  const node = await lyingProxy(anvil.url, lies.everyAccountDeployed());
  const database = new Pool({ connectionString: postgres.url, max: 2 });
  return {
    ...{ folder, secrets, database },
    chainId: chain.chainId,
    contract: normalizeAddress(paymasters['0.6']),
    demo: { address: normalizeAddress(demo.address), selector: demo.callData.slice(0, 10) as Hex },
    databaseUrl: postgres.url,
    natsUrl: nats.url,
    chainsJson: chainsJson({ chainId: chain.chainId, rpcUrl: node.url, paymaster: paymasters['0.6'] }),
    async createAccount() {
      const command = [join(folder, 'images/dashboard/account.js'), 'create', '--name', 'rehearsal', '--json'];
      const env = { PATH: process.env['PATH'], DATABASE_URL: postgres.url };
      const { stdout } = await promisify(execFile)(process.execPath, command, { env });
      return (JSON.parse(stdout) as { authToken: string }).authToken;
    },
    async stop() {
      await database.end();
      await Promise.all([nats.stop(), node.stop(), anvil.stop()]);
      await postgres.stop();
    },
  };
}

/** Every key that k8s/README.md lists, made as it says. */
function makeSecrets({
  databaseUrl,
  passwords,
}: {
  databaseUrl: string;
  passwords: Readonly<Record<string, string>>;
}): SecretValues {
  const keys = { 'api-key-index-key': key(), 'webhook-signing-key': key() };
  const passphrase = key();
  const { address, privateKey } = DEV_KEYS.signer;
  // Weak on purpose: what it guards is public, and each pod opens it at its start.
  const keystore = encryptKeystoreJsonSync({ address, privateKey }, passphrase, { scrypt: { N: 2, p: 1, r: 8 } });
  const forApp = (app: string): Record<string, string> => ({
    'database-url': databaseUrl,
    'nats-password': passwords[app] ?? '',
  });
  return {
    dashboard: { ...forApp('dashboard'), ...keys, 'api-key-encryption-key': key() },
    'paymaster-rpc': {
      ...forApp('paymaster-rpc'),
      ...keys,
      'signer-keystore.json': keystore,
      'signer-keystore-passphrase': passphrase,
    },
    settlement: forApp('settlement'),
    'stream-maker': { 'nats-password': passwords['stream-maker'] ?? '' },
    migrations: { 'database-url': databaseUrl },
    // Nobody reads it: NATS_CA_FILE is one of the differences.
    'nats-tls': { 'ca.crt': '' },
  };
}

function chainsJson({ chainId, rpcUrl, paymaster }: { chainId: number; rpcUrl: string; paymaster: Hex }): string {
  const chain = {
    ...{ chainId, name: 'local', rpcUrls: [rpcUrl], bundlerUrl: 'http://127.0.0.1:9' },
    entryPoints: { '0.6': { entryPoint: CANONICAL_ENTRY_POINTS['0.6'], paymaster } },
    ...{ blockTimeSeconds: 1, maxHeadAgeSeconds: 60, startBlock: 0 },
    finality: { tag: 'finalized' },
    bounds: { feeFloorWei: '10000000000', maxPreVerificationGasPercent: '150', maxBundlerReturnPercent: '1000' },
  };
  return JSON.stringify({ chains: [chain] });
}

function key(): string {
  return randomBytes(32).toString('hex');
}
