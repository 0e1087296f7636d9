import { randomAddress } from '@paymaster/domain/testing';
import { Wallet } from 'ethers';
import { freshAccount } from './support/account';
import { call } from './support/dashboard-client';
import {
  contractBody,
  expectRefusal,
  freshContract,
  freshPaymaster,
  fundingMessage,
  only,
  paymasterBody,
  type Keys,
} from './support/fixtures';

const BOTH = 'Auth token and API key is required in the headers';
const UNKNOWN_KEY = 'aaaaaaaaa.00000000-0000-4000-8000-000000000000';
const UNKNOWN_TOKEN = 'pm_auth_unknown';

const KEYED_OPERATIONS = [
  ['3', 'POST', '/smart-contract'],
  ['4', 'GET', '/smart-contract'],
  ['5', 'PATCH', '/smart-contract'],
  ['6a', 'GET', '/funding-message'],
  ['6a with id', 'GET', '/funding-message/e998530d-0000-4000-8000-cb6f0000ef54'],
  ['6b', 'PATCH', '/paymaster'],
  ['7', 'DELETE', '/smart-contract'],
] as const;

/** Service interface, "Errors": one case per row, then what the decisions add. */
describe('dashboard errors', () => {
  let authToken: string;
  let keys: Keys;
  beforeAll(async () => {
    ({ authToken } = await freshAccount());
    keys = only(await freshPaymaster(authToken));
  });

  it('1 answers 401 when authToken is missing', async () => {
    expectRefusal(await call({ method: 'GET', path: '/paymaster' }), 401, BOTH);
  });

  it('2 answers paymaster_name_exists when the name is taken', async () => {
    const body = paymasterBody();
    await call({ method: 'POST', path: '/paymaster', authToken, body });
    expectRefusal(await call({ method: 'POST', path: '/paymaster', authToken, body }), 400, 'paymaster_name_exists');
  });

  it('2 answers 400 when the chain is not supported', async () => {
    const body = { ...paymasterBody(), chainId: 999_999_999 };
    expectRefusal(await call({ method: 'POST', path: '/paymaster', authToken, body }), 400, 'Chain ID not supported');
  });

  it('2 answers 401 when authToken is missing', async () => {
    const answer = await call({ method: 'POST', path: '/paymaster', body: paymasterBody() });
    expectRefusal(answer, 401, 'Auth token is required in the headers');
  });

  it('3 answers 400 when the address is registered, in any case', async () => {
    const { address } = await freshContract(keys);
    const body = { ...contractBody(), address: address.toUpperCase().replace('0X', '0x') };
    const answer = await call({ method: 'POST', path: '/smart-contract', ...keys, body });
    expectRefusal(answer, 400, 'Smart contract address already exists');
  });

  it('3 answers 400 when the name is taken', async () => {
    const { name } = await freshContract(keys);
    const body = { ...contractBody(), name };
    const answer = await call({ method: 'POST', path: '/smart-contract', ...keys, body });
    expectRefusal(answer, 400, 'Smart contract name already exists');
  });

  describe.each(KEYED_OPERATIONS)('%s', (_operation, method, path) => {
    it('answers 401 when authToken is missing', async () => {
      expectRefusal(await call({ method, path, apiKey: keys.apiKey }), 401, BOTH);
    });

    it('answers 401 when apiKey is missing', async () => {
      expectRefusal(await call({ method, path, authToken }), 401, BOTH);
    });
  });

  it('5 answers 400 when whitelistedMethods is not an array', async () => {
    const { address } = await freshContract(keys);
    const body = { address, whitelistedMethods: 'setQuote' };
    const answer = await call({ method: 'PATCH', path: '/smart-contract', ...keys, body });
    expectRefusal(answer, 400, 'whitelistedMethods must be an array');
  });

  describe.each([
    ['5', 'PATCH', { whitelistedMethods: [] }],
    ['7', 'DELETE', {}],
  ])('%s', (_operation, method, body) => {
    it('answers HTTP 404 with body 400 when the apiKey is wrong', async () => {
      const request = { method, path: '/smart-contract', authToken, body: { ...body, address: randomAddress() } };
      expectRefusal(await call({ ...request, apiKey: UNKNOWN_KEY }), 404, 'Smart contract not found', 400);
    });

    it('answers HTTP 404 with body 400 when the address was not added', async () => {
      const request = { method, path: '/smart-contract', ...keys, body: { ...body, address: randomAddress() } };
      expectRefusal(await call(request), 404, 'Smart contract not found', 400);
    });
  });

  describe('6b', () => {
    const update = async (overrides: object, headers: Keys = keys) => {
      const wallet = Wallet.createRandom();
      const { fundingMessage: message, paymasterId } = await fundingMessage(keys);
      const signature = await wallet.signMessage(message);
      const body = { paymasterId, type: 'paymasterFundingId', signature, address: wallet.address, ...overrides };
      return call({ method: 'PATCH', path: '/paymaster', ...headers, body });
    };

    it('answers Invalid signature when the message is an older one', async () => {
      const wallet = Wallet.createRandom();
      const { fundingMessage: older } = await fundingMessage(keys);
      const answer = await update({ signature: await wallet.signMessage(older), address: wallet.address });
      expectRefusal(answer, 400, 'Invalid signature');
    });

    it('answers Invalid signature when the address is not the signer', async () => {
      expectRefusal(await update({ address: randomAddress() }), 400, 'Invalid signature');
    });

    it('answers User not found when the apiKey is wrong', async () => {
      expectRefusal(await update({}, { ...keys, apiKey: UNKNOWN_KEY }), 404, 'User not found');
    });

    it('answers User not found when the authToken is wrong', async () => {
      expectRefusal(await update({}, { ...keys, authToken: UNKNOWN_TOKEN }), 404, 'User not found');
    });
  });

  it.each<readonly [string, string, string]>([
    ['1', 'GET', '/paymaster'],
    ['2', 'POST', '/paymaster'],
    ...KEYED_OPERATIONS.filter(([operation]) => operation !== '6b'),
  ])('%s answers Invalid auth token when the authToken is wrong', async (_operation, method, path) => {
    const answer = await call({ method, path, ...keys, authToken: UNKNOWN_TOKEN });
    expectRefusal(answer, 401, 'Invalid auth token');
  });

  it.each(KEYED_OPERATIONS.filter(([op]) => op !== '5' && op !== '7'))(
    '%s answers User not found when the apiKey is wrong',
    async (_operation, method, path) => {
      const answer = await call({ method, path, authToken, apiKey: UNKNOWN_KEY });
      expectRefusal(answer, 404, 'User not found');
    },
  );
});
