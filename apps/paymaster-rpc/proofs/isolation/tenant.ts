import { faker } from '@faker-js/faker';
import { demoTokenAbi } from '@paymaster/contract-abis';
import {
  CANONICAL_ENTRY_POINTS,
  normalizeAddress,
  type Address,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { WebhookReceiver } from '@paymaster/webhooks/testing';
import { parseEther, type Abi } from 'viem';
import type { DashboardProcess } from '../../src/testing/dashboard-process';
import { call, executeCall, sponsoredMode, wireOperationV06, wireOperationV07 } from '../../src/testing/rpc-call';
import type { ListedToken, TokenWorld } from '../../src/testing/token-world';
import { draftOperation } from '../attacks/testing/draft-operation';
import { INCREMENT, type Named } from './methods';

const COUNTER_ABI = JSON.stringify([
  { type: 'function', name: 'increment', inputs: [], stateMutability: 'nonpayable' },
]);
/** Own bound: all requests of these tests to one paymaster come from one client. */
const ROOMY = { maxLiveSignaturesPerSender: 1_000, maxLiveSignaturesPerClient: 1_000, clientSharePercent: 100 };

/** A paymaster with one of everything that a request can name or an answer can show. */
export interface Tenant {
  readonly apiKey: string;
  readonly url: string;
  readonly name: string;
  readonly paymasterId: string;
  readonly origin: string;
  readonly fundingWallet: Address;
  readonly contract: Address;
  readonly token: ListedToken;
  readonly policyId: string;
  /** An operation of a sender that holds the token and approves it first. */
  readonly payable: UserOperation;
  /** Is asked before each sponsored signature. */
  readonly decisions: WebhookReceiver;
  /** The server of an event webhook for granted operations. */
  readonly events: WebhookReceiver;
  /** Texts that occur only in data of this paymaster. */
  readonly marks: readonly string[];
}

export interface TenantPlace {
  readonly world: TokenWorld;
  readonly dashboard: DashboardProcess;
  readonly onStop: (stop: () => Promise<unknown>) => void;
}

export interface TenantWish {
  readonly authToken: string;
  readonly token: ListedToken;
  readonly settings?: object;
  /** A wallet of its own when absent. */
  readonly fundingWallet?: Address;
  /** Operations of the whole paymaster, and of each sender, for ever. */
  readonly limits?: { readonly all: number; readonly perUser: number };
}

/**
 * Makes a paymaster for the account of the authToken through REST, with one of everything; its wallet is in the books.
 */
export async function furnishTenant(place: TenantPlace, wish: TenantWish): Promise<Tenant> {
  const { world, dashboard, onStop } = place;
  const { authToken, token, settings, limits = { all: 10_000, perUser: 1_000 } } = wish;
  const { fundingWallet = randomAddress() } = wish;
  const [decisions, events] = [await WebhookReceiver.start(), await WebhookReceiver.start()];
  onStop(() => Promise.all([decisions.stop(), events.stop()]));
  const [name, contractName, limitName] = [faker.string.uuid(), faker.string.uuid(), faker.string.uuid()];
  const made = { name, type: 'HYBRID', chainId: 31337, version: '2.0.0' };
  const { apiKey } = await dashboard.ask({ method: 'POST', path: '/paymaster', keys: { authToken }, body: made });
  const keys = { authToken, apiKey: String(apiKey) };
  const post = (path: string, body: object) => dashboard.ask({ method: 'POST', path, keys, body });

  const origin = `https://${faker.string.uuid()}.example`;
  const own = { ...ROOMY, explainToClients: true, allowedOrigins: [origin], tokenFeeReceiver: randomAddress() };
  await dashboard.ask({ method: 'PATCH', path: '/paymaster-settings', keys, body: { ...own, ...settings } });
  const contract = randomAddress();
  const whitelistedMethods = ['increment'];
  await post('/smart-contract', { name: contractName, address: contract, abi: COUNTER_ABI, whitelistedMethods });
  await post('/token', { address: token.address, price: { fixedUsd: '1' } });
  const limit = await post('/paymaster-policy', {
    ...{ name: limitName, policyType: 'RULES' },
    policyData: {
      limits: [
        { scope: 'PAYMASTER', measure: 'COUNT', amount: `${limits.all}`, cycle: 'LIFETIME' },
        { scope: 'USER', measure: 'COUNT', amount: `${limits.perUser}`, cycle: 'LIFETIME' },
      ],
    },
  });
  const decided = { name: faker.string.uuid(), policyType: 'WEBHOOK', policyData: { url: decisions.url } };
  const decision = await post('/paymaster-policy', decided);
  const told = { webhookUrl: events.url, requestType: 'POST', events: ['granted'] };
  const webhook = await post('/webhook', told);

  const paymasterId = await fundedBy(world, { name, fundingWallet });
  return {
    ...{ apiKey: keys.apiKey, name, paymasterId, origin, fundingWallet, contract, token, decisions, events },
    url: `${world.url}/api/v2/31337/${keys.apiKey}`,
    policyId: String(limit['_id']),
    payable: await payableIn(world, token),
    marks: [
      ...[keys.apiKey, name, paymasterId, origin, fundingWallet, own.tokenFeeReceiver, contract, contractName],
      ...[token.address, `"${token.symbol}"`, limitName, decided.name, decisions.url, events.url],
      ...[limit['_id'], decision['_id'], webhook['webhookId']].map(String),
    ],
  };
}

/** Links a funding wallet by a signed message, and makes its deposit. @returns the paymaster's id */
async function fundedBy(world: TokenWorld, { name, fundingWallet }: { name: string; fundingWallet: Address }) {
  const [row] = await world.ledger.rows<{ id: string }>(
    'UPDATE dashboard.paymasters SET funding_wallet = $2 WHERE name = $1 RETURNING id',
    [name, fundingWallet],
  );
  for (const contract of Object.values(world.paymasters)) {
    await world.ledger.setWallet({ contract, wallet: fundingWallet, spendableWei: parseEther('100') });
  }
  if (!row) throw new Error('there is no such paymaster');
  return row.id;
}

async function payableIn(world: TokenWorld, token: ListedToken): Promise<UserOperation> {
  const baseUnits = 10n ** BigInt(token.decimals + 6);
  const sender = await world.newHolder({ token, baseUnits });
  const approve = { name: 'approve', args: [world.paymasters['0.7'], baseUnits] };
  const calls = [{ to: token.address, abi: demoTokenAbi as Abi, ...approve }];
  return draftOperation(world.chain, { version: '0.7', sender, calls });
}

/** Everything of the paymaster that a request can name. The operation is new, and the paymaster signs it now. */
export async function namedOf({ url, contract, token, policyId }: Tenant): Promise<Named> {
  const callData = executeCall({ to: contract, data: INCREMENT });
  const operation = wireOperationV07(callData) as { sender: string; nonce: Hex };
  await grant(url, operation);
  const inV06 = await grant(url, wireOperationV06(callData));
  return {
    ...{ contract, token: token.address, sender: normalizeAddress(operation.sender), nonce: operation.nonce },
    paymasterAndData: inV06['paymasterAndData'] as Hex,
    policyId,
  };
}

/** Has an operation sponsored with the limits that it has. @throws when it is refused */
export async function grant(url: string, operation: object): Promise<Record<string, unknown>> {
  const { json, text } = await call(url, 'pm_sponsorUserOperation', [operation, sponsoredMode()]);
  if (!json.result) throw new Error(text);
  return json.result;
}

export const ENTRY_POINT = CANONICAL_ENTRY_POINTS['0.7'];
