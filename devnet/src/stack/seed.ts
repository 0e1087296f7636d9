import { privateKeyToAccount } from 'viem/accounts';
import { demoCounterAbi } from '@paymaster/contract-abis';
import type { Hex } from '@paymaster/domain';
import type { DevKey } from '../chain/dev-keys';
import { accountCommand } from './account-command';
import { DashboardClient } from './dashboard-client';
import type { SeededPaymaster } from './stack-file';

export interface SeedOptions {
  readonly dashboard: string;
  readonly databaseUrl: string;
  readonly chainId: number;
  readonly demoContract: Hex;
  readonly fundingWallet: DevKey;
  /** The token of an earlier start; used again while it is valid. */
  readonly authToken?: string;
}

export interface Seed {
  readonly authToken: string;
  readonly paymaster: SeededPaymaster;
}

export const DEMO_ACCOUNT = 'demo';
const PAYMASTER = 'Local demo';
const SPONSORED_METHODS = ['increment', 'add'];

/** Registers, the way a dapp owner would, what the local world shows. What is there already stays. */
export async function seed(options: SeedOptions): Promise<Seed> {
  const authToken = (await stillValid(options)) ?? (await newToken(options));
  const dashboard = new DashboardClient(options.dashboard, authToken);
  const { chainId, demoContract, fundingWallet } = options;
  const paymaster = await seedPaymaster({ dashboard, name: PAYMASTER, chainId, demoContract, fundingWallet });
  return { authToken, paymaster };
}

/** A paymaster of this name that sponsors the demo contract from the wallet; made when there is none. */
export async function seedPaymaster(wish: {
  dashboard: DashboardClient;
  name: string;
  chainId: number;
  demoContract: Hex;
  fundingWallet: DevKey;
}): Promise<SeededPaymaster> {
  const { dashboard, name, chainId, demoContract, fundingWallet } = wish;
  const { apiKey } = await findOrCreatePaymaster(dashboard, { name, chainId });
  await whitelistDemoContract({ dashboard, apiKey, address: demoContract });
  const paymasterId = await linkFundingWallet({ dashboard, apiKey, wallet: fundingWallet });
  return { name, apiKey, paymasterId, fundingWallet: fundingWallet.address };
}

async function stillValid({ authToken, dashboard }: SeedOptions): Promise<string | undefined> {
  if (!authToken) return undefined;
  const valid = await new DashboardClient(dashboard, authToken).call('get', '/paymaster').catch(() => undefined);
  return valid && authToken;
}

/** Of the account, which is there already when an earlier start was interrupted. */
async function newToken({ databaseUrl }: SeedOptions): Promise<string> {
  const env = { DATABASE_URL: databaseUrl };
  const tokens = await accountCommand<{ accountId: string; accountName: string }[]>(env, 'list');
  const known = tokens.find(({ accountName }) => accountName === DEMO_ACCOUNT);
  const of = known ? ['--account-id', known.accountId] : ['--name', DEMO_ACCOUNT];
  return (await accountCommand<{ authToken: string }>(env, 'create', ...of)).authToken;
}

async function findOrCreatePaymaster(
  dashboard: DashboardClient,
  { name, chainId }: { name: string; chainId: number },
): Promise<{ apiKey: string }> {
  const all = await dashboard.call('get', '/paymaster');
  const existing = all.find((paymaster) => paymaster.name === name && paymaster.chainId === chainId);
  return (
    existing ?? dashboard.call('post', '/paymaster', { body: { name, type: 'HYBRID', chainId, version: '2.0.0' } })
  );
}

async function whitelistDemoContract(contract: {
  dashboard: DashboardClient;
  apiKey: string;
  address: Hex;
}): Promise<void> {
  const { dashboard, apiKey, address } = contract;
  const all = await dashboard.call('get', '/smart-contract', { apiKey });
  if (all.some((known) => known.address.toLowerCase() === address.toLowerCase())) return;
  const abi = JSON.stringify(demoCounterAbi);
  const body = { name: 'DemoCounter', address, abi, whitelistedMethods: SPONSORED_METHODS };
  await dashboard.call('post', '/smart-contract', { apiKey, body });
}

async function linkFundingWallet(link: {
  dashboard: DashboardClient;
  apiKey: string;
  wallet: DevKey;
}): Promise<string> {
  const { dashboard, apiKey, wallet } = link;
  const { fundingMessage, paymasterId } = await dashboard.call('get', '/funding-message', { apiKey });
  const signature = await privateKeyToAccount(wallet.privateKey).signMessage({ message: fundingMessage });
  const body = { type: 'paymasterFundingId', paymasterId, signature, address: wallet.address } as const;
  await dashboard.call('patch', '/paymaster', { apiKey, body });
  return paymasterId;
}
