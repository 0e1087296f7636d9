import { randomUUID } from 'node:crypto';
import { parseEther } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import type { Stack } from '@paymaster/devnet';
import { untilBooked } from './booked';
import { publicClient, richWallet } from './chain';
import { dashboardOk } from './dashboard-client';
import { demoContractAbi } from './demo-contract';
import { depositFor } from './paymaster-contract';

export interface FreshPaymaster {
  readonly apiKey: string;
  /** The gateway's address for this paymaster, as SDKs are given it. */
  readonly url: string;
  readonly fundingWallet: PrivateKeyAccount;
}

export interface PaymasterWish {
  /** Methods of the demo contract to sponsor; null leaves the contract unregistered. */
  readonly methods?: readonly string[] | null;
  /** Gas deposit per EntryPoint version, in wei; versions left out get none. */
  readonly depositsWei?: Readonly<Partial<Record<EntryPointVersion, bigint>>>;
  /** False leaves the paymaster without a funding wallet. */
  readonly funded?: boolean;
  /** A new one when absent. */
  readonly fundingWallet?: PrivateKeyAccount;
  /** As `PATCH /paymaster-settings` takes them; null leaves every setting as a new paymaster has it. */
  readonly settings?: Readonly<Record<string, unknown>> | null;
  /** Owner; the seeded account when absent. */
  readonly authToken?: string;
}

/** To the gateway all specs are one network, which may use a part of the wallet: it is a large one. */
const PLENTY = parseEther('1000');

/** Own bound: a spec asks at once, from one address, what users ask from many; it may ask for others in `settings`. */
const ROOMY_CAPS = {
  maxLiveSignaturesPerSender: 1_000,
  maxLiveSignaturesPerClient: 1_000,
  maxLiveSignaturesTotal: 10_000,
  clientSharePercent: 100,
};

/** Makes a paymaster of its own for a spec, through the dashboard's operations and the contract's deposit. */
export async function freshPaymaster(stack: Stack, wish: PaymasterWish = {}): Promise<FreshPaymaster> {
  const { methods = ['increment', 'add'], funded = true, authToken } = wish;
  const fundingWallet = wish.fundingWallet ?? (await richWallet(stack));
  const { apiKey } = await dashboardOk<{ apiKey: string }>(stack, {
    method: 'POST',
    path: '/paymaster',
    authToken,
    body: { name: `e2e ${randomUUID()}`, type: 'HYBRID', chainId: stack.chainId, version: '2.0.0' },
  });
  const owner = { apiKey, authToken };
  if (methods) {
    const body = {
      name: 'Demo counter',
      address: stack.demoContract.address,
      abi: JSON.stringify(demoContractAbi),
      whitelistedMethods: methods,
    };
    await dashboardOk(stack, { ...owner, method: 'POST', path: '/smart-contract', body });
  }
  if (wish.settings !== null) {
    const settings = { ...ROOMY_CAPS, ...wish.settings };
    await dashboardOk(stack, { ...owner, method: 'PATCH', path: '/paymaster-settings', body: settings });
  }
  if (funded) {
    await bindFundingWallet(stack, { ...owner, fundingWallet });
    const depositsWei = wish.depositsWei ?? { '0.6': PLENTY, '0.7': PLENTY, '0.8': PLENTY, '0.9': PLENTY };
    await depositAll(stack, fundingWallet, depositsWei);
  }
  return { apiKey, fundingWallet, url: gatewayUrl(stack, apiKey) };
}

export function gatewayUrl(stack: Stack, apiKey: string, version: 'v1' | 'v2' = 'v2'): string {
  return `${stack.paymasterRpc}/api/${version}/${stack.chainId}/${apiKey}`;
}

/** Sets which methods of the demo contract a paymaster sponsors. */
export async function whitelist(stack: Stack, apiKey: string, whitelistedMethods: readonly string[]): Promise<void> {
  const body = { address: stack.demoContract.address, whitelistedMethods };
  await dashboardOk(stack, { method: 'PATCH', path: '/smart-contract', apiKey, body });
}

/** Changes switches of a paymaster. */
export async function changeSettings(stack: Stack, apiKey: string, body: Record<string, unknown>): Promise<void> {
  await dashboardOk(stack, { method: 'PATCH', path: '/paymaster-settings', apiKey, body });
}

/** What an owner says of a token; see the dashboard's API document. */
export interface TokenWish {
  readonly address: Hex;
  readonly price: { readonly fixedUsd?: string; readonly apiId?: string };
  readonly premiumPercentage?: string;
  readonly exposureCapWei?: string;
}

/** Adds a token of the paymaster's own, or overrides one of the chain's. */
export async function addToken(stack: Stack, apiKey: string, body: TokenWish): Promise<void> {
  await dashboardOk(stack, { method: 'POST', path: '/token', apiKey, body });
}

/** All deposits at once, so that they wait for one block and not for three; they count once they are final. */
async function depositAll(
  stack: Stack,
  from: PrivateKeyAccount,
  depositsWei: NonNullable<PaymasterWish['depositsWei']>,
): Promise<void> {
  const firstNonce = await publicClient(stack).getTransactionCount({ address: from.address });
  const deposits = Object.entries(depositsWei) as [EntryPointVersion, bigint][];
  if (deposits.length === 0) return;
  await Promise.all(
    deposits.map(([version, amountWei], index) =>
      depositFor(stack, { version, from, fundingWallet: from.address, amountWei, nonce: firstNonce + index }),
    ),
  );
  await untilBooked(stack);
}

interface Binding {
  readonly apiKey: string;
  readonly authToken?: string;
  readonly fundingWallet: PrivateKeyAccount;
}

/** Interface operations 6a and 6b: get the message, sign it with the wallet, hand the signature in. */
async function bindFundingWallet(stack: Stack, { apiKey, authToken, fundingWallet }: Binding): Promise<void> {
  const owner = { apiKey, authToken };
  const { fundingMessage, paymasterId } = await dashboardOk<{ fundingMessage: string; paymasterId: Hex }>(stack, {
    ...owner,
    method: 'GET',
    path: '/funding-message',
  });
  const signature = await fundingWallet.signMessage({ message: fundingMessage });
  const body = { paymasterId, type: 'paymasterFundingId', signature, address: fundingWallet.address };
  await dashboardOk(stack, { ...owner, method: 'PATCH', path: '/paymaster', body });
}
