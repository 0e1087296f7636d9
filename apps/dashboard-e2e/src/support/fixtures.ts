import { randomUUID } from 'node:crypto';
import { randomAddress } from '@paymaster/domain/testing';
import { call, type Answer } from './dashboard-client';
import { deployToken } from './dev-token';
import { readStack } from '@paymaster/devnet';

export interface PaymasterRecord {
  readonly name: string;
  readonly chainId: number;
  readonly apiKey: string;
}

export interface ContractRecord {
  readonly name: string;
  readonly address: string;
  readonly abi: string;
  readonly whitelistedMethods: string[];
  readonly methods: string[];
}

export interface TokenRecord {
  readonly source: 'paymaster' | 'chain';
  readonly address: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly logoUrl: string | null;
  readonly price: object;
  readonly premiumPercentage: string;
  readonly exposureCapWei: string | null;
  readonly chargingWays: string[];
  readonly transferGas: number;
}

/** Both headers of operations 3 to 7. */
export interface Keys {
  readonly authToken: string;
  readonly apiKey: string;
}

export const QUOTE_ABI = JSON.stringify([
  { type: 'constructor', inputs: [], stateMutability: 'nonpayable' },
  {
    type: 'function',
    name: 'setQuote',
    inputs: [{ name: 'newQuote', type: 'string', internalType: 'string' }],
    outputs: [],
    stateMutability: 'nonpayable',
  },
  { type: 'function', name: 'reset', inputs: [], outputs: [], stateMutability: 'payable' },
  { type: 'function', name: 'getQuote', inputs: [], outputs: [{ name: '', type: 'string' }], stateMutability: 'view' },
]);

/** Names must be new in this world: what is drawn from the run's seed is drawn alike by every file. */
export const paymasterBody = () => ({
  name: `paymaster ${randomUUID()}`,
  type: 'HYBRID',
  chainId: readStack().chainId,
  version: '1.1.0',
});

export const contractBody = () => ({
  name: `contract ${randomUUID()}`,
  address: randomAddress() as string,
  abi: QUOTE_ABI,
  whitelistedMethods: ['setQuote'],
});

/** A paymaster of the account, and the keys to it. */
export async function freshPaymaster(authToken: string): Promise<Keys & PaymasterRecord> {
  const { body } = await call<PaymasterRecord>({
    method: 'POST',
    path: '/paymaster',
    authToken,
    body: paymasterBody(),
  });
  expect(body.message).toBe('DApp registered successfully');
  return { authToken, ...body.data };
}

/** A registered contract of the paymaster. */
export async function freshContract(keys: Keys): Promise<ReturnType<typeof contractBody>> {
  const body = contractBody();
  await call({ method: 'POST', path: '/smart-contract', ...only(keys), body });
  return body;
}

export async function listContracts(keys: Keys): Promise<ContractRecord[]> {
  return (await call<ContractRecord[]>({ method: 'GET', path: '/smart-contract', ...only(keys) })).body.data;
}

/** A token that the paymaster added, at one dollar. */
export async function freshToken(keys: Keys): Promise<TokenRecord> {
  const body = { address: await deployToken(), price: { fixedUsd: '1' } };
  return (await call<TokenRecord>({ method: 'POST', path: '/token', ...only(keys), body })).body.data;
}

export async function listTokens(keys: Keys): Promise<TokenRecord[]> {
  return (await call<TokenRecord[]>({ method: 'GET', path: '/token', ...only(keys) })).body.data;
}

export async function fundingMessage(keys: Keys): Promise<{ fundingMessage: string; paymasterId: string }> {
  type Data = { fundingMessage: string; paymasterId: string };
  return (await call<Data>({ method: 'GET', path: '/funding-message', ...only(keys) })).body.data;
}

/** Just the two headers of what may carry more. */
export function only({ authToken, apiKey }: Keys): Keys {
  return { authToken, apiKey };
}

/** What a refusal looks like, to the letter; beyond the interface document with its reason and the request's id. */
export function expectRefusal(
  { status: answered, body, headers, isOfInterfaceRow }: Answer,
  status: number,
  message: string,
  statusCode = status,
): void {
  const more = { reason: expect.stringMatching(/^[A-Z_]+$/) as string, requestId: headers.get('x-request-id') };
  const expected = { statusCode, message, ...(!isOfInterfaceRow && more) };
  expect({ status: answered, body }).toEqual({ status, body: expected });
}
