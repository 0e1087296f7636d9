import { faker } from '@faker-js/faker';
import { randomAddress } from '@paymaster/domain/testing';
import { apiKeyIndex } from '@paymaster/messaging';
import { CHAIN_ID, databaseOf, INDEX_KEY, type DashboardUnderTest } from './dashboard-under-test';

export const COUNTER_ABI = JSON.stringify([
  { type: 'function', name: 'count', inputs: [], stateMutability: 'nonpayable' },
  { type: 'function', name: 'add', inputs: [{ type: 'uint256' }], stateMutability: 'nonpayable' },
]);

export interface Keys {
  readonly authToken: string;
  readonly apiKey: string;
}

export const paymasterBody = (chainId = CHAIN_ID) => ({
  name: `paymaster ${faker.string.uuid()}`,
  type: 'HYBRID',
  chainId,
  version: '1.1.0',
});

export const contractBody = () => ({
  name: `contract ${faker.string.uuid()}`,
  address: randomAddress() as string,
  abi: COUNTER_ABI,
  whitelistedMethods: ['count'],
});

/** The body of a refusal beyond the rows of the interface document. */
export const refusal = (statusCode: number, reason: string, message: string) => ({
  ...{ statusCode, message, reason },
  requestId: expect.any(String) as string,
});

/** A new paymaster of a new account. */
export async function createPaymaster(dashboard: DashboardUnderTest): Promise<Keys> {
  const authToken = await dashboard.createToken(`account ${faker.string.uuid()}`);
  const answer = await dashboard.call({ method: 'POST', path: '/paymaster', authToken, body: paymasterBody() });
  return { authToken, apiKey: String(answer.body.data?.['apiKey']) };
}

/** The id that an API key stands for. */
export async function paymasterIdOf(dashboard: DashboardUnderTest, { apiKey }: Pick<Keys, 'apiKey'>): Promise<string> {
  const [row] = (await databaseOf(dashboard).query('SELECT id FROM dashboard.paymasters WHERE api_key_index = $1', [
    apiKeyIndex(apiKey, INDEX_KEY),
  ])) as { id: string }[];
  if (!row) throw new Error('there is no paymaster of this key');
  return row.id;
}
