import { readStack } from '@paymaster/devnet';
import { freshAccount } from './support/account';
import { call } from './support/dashboard-client';
import { deployFeed, deployToken } from './support/dev-token';
import {
  expectRefusal,
  freshPaymaster,
  freshToken,
  listTokens,
  only,
  type Keys,
  type TokenRecord,
} from './support/fixtures';

const BOTH = 'Auth token and API key is required in the headers';
const UNKNOWN_KEY = 'aaaaaaaaa.00000000-0000-4000-8000-000000000000';
const METHODS = ['POST', 'GET', 'PATCH', 'DELETE'] as const;

let authToken: string;
let keys: Keys;
beforeAll(async () => ({ authToken } = await freshAccount()));
beforeEach(async () => (keys = only(await freshPaymaster(authToken))));

const send = (method: (typeof METHODS)[number], body?: object, as: Partial<Keys> = keys) =>
  call<TokenRecord>({ method, path: '/token', ...as, body });

/** The operations beside the interface document that say which tokens people can pay with. */
describe('the token operations', () => {
  it('add a token, as the chain describes it', async () => {
    const address = await deployToken({ symbol: 'EURx', decimals: 8 });
    const price = {
      feed: { address: await deployFeed(), heartbeatSeconds: 3_600 },
      apiId: 'euro-coin',
      fixedUsd: null,
      coinFeed: { address: await deployFeed(), heartbeatSeconds: 86_400 },
    };
    const answer = await send('POST', { address, price, premiumPercentage: '7.25' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      statusCode: 200,
      message: 'Token registered successfully',
      data: {
        source: 'paymaster',
        address,
        symbol: 'EURx',
        decimals: 8,
        logoUrl: null,
        price,
        premiumPercentage: '7.25',
        exposureCapWei: null,
        chargingWays: ['allowance', 'permit', 'batchApproval'],
        transferGas: expect.any(Number),
      },
    });
  });

  it('list the paymaster’s own tokens, then those of the chain', async () => {
    const token = await freshToken(keys);
    const answer = await call<TokenRecord[]>({ method: 'GET', path: '/token', ...keys });
    expect(answer.body).toMatchObject({ statusCode: 200, message: 'Token list fetched' });
    const [first, ...rest] = answer.body.data;
    expect(first).toEqual(token);
    expect(rest).toMatchObject(
      readStack().tokens.map(({ symbol, decimals, address }) => ({
        source: 'chain',
        symbol,
        decimals,
        address: address.toLowerCase(),
      })),
    );
  });

  it('override a token of the chain, and give it back', async () => {
    const before = await listTokens(keys);
    const [theirs] = before;
    const body = { address: theirs?.address, price: { fixedUsd: '1' }, premiumPercentage: '0' };
    const mine = (await send('POST', body)).body.data;
    expect(mine).toMatchObject({ source: 'paymaster', symbol: theirs?.symbol, premiumPercentage: '0' });
    expect(await listTokens(keys)).toEqual([mine, ...before.slice(1)]);
    await send('DELETE', { address: theirs?.address });
    expect(await listTokens(keys)).toEqual(before);
  });

  it('update a token', async () => {
    const token = await freshToken(keys);
    const changes = {
      price: { feed: null, apiId: 'new-dollar', fixedUsd: null, coinFeed: null },
      exposureCapWei: '5',
      chargingWays: ['permit'],
    };
    const answer = await send('PATCH', { address: token.address.toUpperCase().replace('0X', '0x'), ...changes });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ statusCode: 200, message: 'Token updated', data: { ...token, ...changes } });
    expect(await listTokens(keys)).toContainEqual({ ...token, ...changes });
  });

  it('delete a token', async () => {
    const { address } = await freshToken(keys);
    const answer = await send('DELETE', { address });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ statusCode: 200, message: 'Token deleted' });
    expect((await listTokens(keys)).map((token) => token.address)).not.toContain(address);
  });
});

describe('the token operations refuse', () => {
  describe.each(METHODS)('%s', (method) => {
    it('without authToken', async () => {
      expectRefusal(await send(method, undefined, { apiKey: keys.apiKey }), 401, BOTH);
    });

    it('without apiKey', async () => {
      expectRefusal(await send(method, undefined, { authToken }), 401, BOTH);
    });

    it('with a wrong authToken, before the apiKey and the body', async () => {
      const answer = await send(method, undefined, { authToken: 'pm_auth_unknown', apiKey: UNKNOWN_KEY });
      expectRefusal(answer, 401, 'Invalid auth token');
    });

    it('with a wrong apiKey, before the body', async () => {
      expectRefusal(await send(method, undefined, { authToken, apiKey: UNKNOWN_KEY }), 404, 'User not found');
    });

    it('with the apiKey of another account, and with its own token for that account’s', async () => {
      const stranger = only(await freshPaymaster((await freshAccount()).authToken));
      const { address } = await freshToken(stranger);
      const before = await listTokens(stranger);
      const body = method === 'GET' ? undefined : { address, price: { fixedUsd: '2' } };
      for (const mixed of [
        { authToken, apiKey: stranger.apiKey },
        { authToken: stranger.authToken, apiKey: keys.apiKey },
      ]) {
        expectRefusal(await send(method, body, mixed), 404, 'User not found');
      }
      expect(await listTokens(stranger)).toEqual(before);
    });
  });

  it('a token that is there, in any case', async () => {
    const { address } = await freshToken(keys);
    const body = { address: address.toUpperCase().replace('0X', '0x'), price: { fixedUsd: '1' } };
    expectRefusal(await send('POST', body), 400, 'Token already exists');
  });

  it.each(['PATCH', 'DELETE'] as const)('%s of a token that the paymaster did not add', async (method) => {
    const { address } = await freshToken(only(await freshPaymaster(authToken)));
    const [{ address: ofTheChain } = { address: '' }] = await listTokens(keys);
    for (const each of [address, ofTheChain]) {
      expectRefusal(await send(method, { address: each }), 404, 'Token not found');
    }
  });
});
