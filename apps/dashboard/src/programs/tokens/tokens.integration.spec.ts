import { startAnvil, type Anvil } from '@paymaster/devnet';
import type { Address } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { PriceServer } from '@paymaster/pricing/testing';
import {
  CHAIN_ID,
  CHAIN_OF_TWO_SOURCES,
  CHAIN_WITHOUT_PRICES,
  databaseOf,
  PLATFORM_PAYMASTER,
  startDashboard,
  type DashboardUnderTest,
  type TestCall,
} from '../../testing/dashboard-under-test';
import { DevContracts } from '../../testing/dev-contracts';
import { createPaymaster, type Keys, paymasterBody, refusal } from '../../testing/requests';

/** In mixed case, and not that of EIP-55. */
const WRONG_CHECKSUM = '0xE31b0BcBda693bfF2529F4a1d9f7e8f6D924C6Ab';

let anvil: Anvil;
let priceApi: PriceServer;
let contracts: DevContracts;
let dashboard: DashboardUnderTest;
let keys: Keys;
let usdx: Address;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: CHAIN_ID, blockTimeSeconds: 0 });
  contracts = new DevContracts(anvil.url);
  usdx = await contracts.token({ symbol: 'USDx', decimals: 6 });
  priceApi = await PriceServer.start({ prices: { dai: '1', 'usd-coin': '1' } });
  const env = { MAX_TOKENS_PER_PAYMASTER: '3', PRICE_API_URL: priceApi.url };
  dashboard = await startDashboard({ chainRpcUrl: anvil.url, env });
});
beforeEach(async () => (keys = await createPaymaster(dashboard)));
afterAll(async () => {
  await dashboard.stop();
  contracts.stop();
  await anvil.stop();
  await priceApi.stop();
});

const send = (method: TestCall['method'], body?: object, as = keys) =>
  dashboard.call({ method, path: '/token', ...as, body });
const add = (address: string, terms: object = {}, as = keys) =>
  send('POST', { address, price: { fixedUsd: '1' }, ...terms }, as);
const own = async (as = keys) =>
  ((await send('GET', undefined, as)).body.data as unknown as Array<Record<string, unknown>>).filter(
    ({ source }) => source === 'paymaster',
  );

describe('an apiId', () => {
  const UNKNOWN = 'price.apiId is not known to the price API: check it, or name another source';

  it('that the price API does not know is refused, when a token is added and when it is changed', async () => {
    expect(await add(usdx, { price: { apiId: 'usd-coyn', fixedUsd: '1' } })).toMatchObject({
      status: 400,
      body: refusal(400, 'INVALID_BODY', UNKNOWN),
    });
    expect(await own()).toEqual([]);
    expect((await add(usdx, { price: { apiId: 'usd-coin' } })).status).toBe(200);
    const changed = await send('PATCH', { address: usdx, price: { apiId: 'usd-coyn' } });
    expect(changed.body).toMatchObject({ message: UNKNOWN });
    expect(await own()).toMatchObject([{ price: { apiId: 'usd-coin' } }]);
  });

  it('is taken while the price API does not answer', async () => {
    priceApi.state.mode = 'http500';
    try {
      expect((await add(usdx, { price: { apiId: 'usd-coyn' } })).status).toBe(200);
    } finally {
      priceApi.state.mode = 'ok';
    }
  });
});

describe('POST token', () => {
  it('registers a token as the chain describes it, on terms of its own or the usual ones', async () => {
    const usual = await add(usdx.toUpperCase().replace('0X', '0x'));
    const record = {
      source: 'paymaster',
      address: usdx,
      symbol: 'USDx',
      decimals: 6,
      logoUrl: null,
      price: { feed: null, apiId: null, fixedUsd: '1', coinFeed: null },
      premiumPercentage: '10',
      exposureCapWei: null,
      chargingWays: ['allowance', 'permit', 'batchApproval'],
      transferGas: expect.any(Number),
    };
    expect(usual).toMatchObject({ status: 200 });
    expect(usual.body).toEqual({ statusCode: 200, message: 'Token registered successfully', data: record });

    const dai = await contracts.token({ symbol: 'DAIx', decimals: 18 });
    const terms = {
      price: {
        ...{ feed: { address: await contracts.feed(), heartbeatSeconds: 3_600 }, apiId: 'dai', fixedUsd: null },
        coinFeed: { address: await contracts.feed(), heartbeatSeconds: 86_400 },
      },
      premiumPercentage: '2.5',
      exposureCapWei: (2n ** 200n).toString(),
      chargingWays: ['permit', 'allowance'],
      logoUrl: 'https://example.org/dai.png',
    };
    expect((await add(dai, terms)).body.data).toEqual({
      ...record,
      address: dai,
      symbol: 'DAIx',
      decimals: 18,
      ...terms,
    });
    expect(await own()).toMatchObject([{ address: usdx }, { address: dai, ...terms }]);
  });

  it('takes the address of a token once, in any case, also when it is sent several times at once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => add(usdx)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
      expect({ status, body }).toEqual({ status: 400, body: refusal(400, 'TOKEN_EXISTS', 'Token already exists') });
    }
    expect((await add(usdx.toUpperCase().replace('0X', '0x'))).body).toEqual(
      refusal(400, 'TOKEN_EXISTS', 'Token already exists'),
    );
  });

  it('takes the same token under another paymaster of the account', async () => {
    const other = await sibling(keys);
    expect((await add(usdx)).status).toBe(200);
    expect((await add(usdx, { premiumPercentage: '0' }, other)).status).toBe(200);
    expect(await own()).toMatchObject([{ premiumPercentage: '10' }]);
    expect(await own(other)).toMatchObject([{ premiumPercentage: '0' }]);
  });

  it('refuses a token of which one base unit is worth more than an operation, with the reason', async () => {
    const whole = await contracts.token({ symbol: 'WHOLEx', decimals: 0 });
    const feed = await contracts.feed({ answer: 900_000_000_000n });
    const coinFeed = await contracts.feed({ answer: 300_000_000n });
    for (const price of [
      { fixedUsd: '9000' },
      { feed: { address: feed, heartbeatSeconds: 60 }, fixedUsd: '0.0001' },
      // At 3,000 USD for a coin.
      { coinFeed: { address: coinFeed, heartbeatSeconds: 60 } },
    ]) {
      const { status, body } = await add(whole, { price });
      expect({ status, body }).toEqual({
        status: 400,
        body: refusal(400, 'TOKEN_UNFIT', expect.any(String) as string),
      });
      expect(body.message).toMatch(
        /^address: one base unit of WHOLEx, which has 0 decimals, is worth 9000 USD: more than an operation of 200000 gas costs on this chain now, [0-9.]+ USD$/,
      );
    }
    expect((await add(whole, { price: { fixedUsd: '0.001' } })).status).toBe(200);
    const dearer = await send('PATCH', { address: whole, price: { fixedUsd: '9000' } });
    expect(dearer.body).toMatchObject({ statusCode: 400, reason: 'TOKEN_UNFIT' });
  });

  it.each([
    ['address', { address: WRONG_CHECKSUM }],
    ['address', { price: { feed: { address: WRONG_CHECKSUM, heartbeatSeconds: 60 } } }],
  ])('refuses a wrong checksum, naming %s', async (field, changes) => {
    const { status, body } = await add(usdx, changes);
    expect([status, body.message]).toEqual([400, expect.stringContaining(`${field} has a wrong checksum (EIP-55)`)]);
  });

  it('stops at the limit of a paymaster, also when tokens come together', async () => {
    const addresses = await Promise.all([1, 2, 3, 4, 5].map((decimals) => contracts.token({ decimals })));
    const answers = await Promise.all(addresses.map((address) => add(address)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    const late = await add(await contracts.token());
    for (const { status, body } of [...answers.filter((answer) => answer.status !== 200), late]) {
      expect({ status, body }).toEqual({
        status: 400,
        body: refusal(400, 'LIMIT_REACHED', 'A paymaster can have at most 3 tokens'),
      });
    }
    expect(await own()).toHaveLength(3);
  });

  it.each<[string, () => Promise<Address>, string]>([
    ['an account without code', async () => randomAddress(), 'there is no contract at this address'],
    ['a token of 37 decimals', () => contracts.token({ decimals: 37 }), 'the token has more than 36 decimals'],
    [
      'a token without a symbol',
      () => contracts.token({ symbol: '' }),
      'symbol() is not 1 to 32 printable characters, left to right and without markup',
    ],
    [
      'a price feed',
      () => contracts.feed(),
      'symbol() is not 1 to 32 printable characters, left to right and without markup',
    ],
  ])('refuses %s with a sentence, and registers nothing', async (_title, deploy, message) => {
    const { status, body } = await add(await deploy());
    expect({ status, body }).toEqual({
      status: 400,
      body: refusal(400, 'TOKEN_UNFIT', `address: ${message}`),
    });
    expect(await own()).toEqual([]);
  });

  it('refuses a feed that is none, and the platform’s own contracts', async () => {
    const feed = { address: usdx, heartbeatSeconds: 3_600 };
    expect((await add(usdx, { price: { feed } })).body).toEqual(
      refusal(400, 'INVALID_BODY', 'price.feed: address is no price feed: it does not answer latestRoundData()'),
    );
    expect((await add(PLATFORM_PAYMASTER)).body).toEqual(
      refusal(400, 'INVALID_BODY', 'address must not be an EntryPoint or a paymaster of this platform'),
    );
    expect(await own()).toEqual([]);
  });

  it('refuses a token on a chain without prices', async () => {
    const elsewhere = await sibling(keys, CHAIN_WITHOUT_PRICES);
    expect((await add(usdx, {}, elsewhere)).body).toEqual(
      refusal(400, 'TOKENS_NOT_TAKEN', 'Tokens cannot be paid in on this chain'),
    );
    expect((await send('GET', undefined, elsewhere)).body.data).toEqual([]);
  });

  it('refuses a price of fewer sources than the operator asks for on the chain', async () => {
    const elsewhere = await sibling(keys, CHAIN_OF_TWO_SOURCES);
    expect((await add(usdx, {}, elsewhere)).body).toEqual(
      refusal(400, 'INVALID_BODY', 'price must name at least 2 of feed, apiId, fixedUsd and coinFeed on this chain'),
    );
  });
});

describe('GET token', () => {
  const list = async () =>
    ((await send('GET')).body.data as unknown as Array<Record<string, unknown>>).map(
      ({ source, symbol, premiumPercentage }) => [source, symbol, premiumPercentage],
    );
  const OPSX = `0x${'50'.repeat(20)}`;

  it('shows the operator’s tokens after the paymaster’s own', async () => {
    await add(usdx);
    expect(await list()).toEqual([
      ['paymaster', 'USDx', '10'],
      ['chain', 'OPSx', '2.5'],
      ['chain', 'OPTx', '2.5'],
    ]);
  });

  it('shows one that was overridden once, and again as it was when the paymaster’s own is gone', async () => {
    await contracts.tokenAt(OPSX, { symbol: 'OPSx', decimals: 18 });
    await add(OPSX, { premiumPercentage: '0' });
    expect(await list()).toEqual([
      ['paymaster', 'OPSx', '0'],
      ['chain', 'OPTx', '2.5'],
    ]);
    await send('DELETE', { address: OPSX });
    expect(await list()).toEqual([
      ['chain', 'OPSx', '2.5'],
      ['chain', 'OPTx', '2.5'],
    ]);
  });

  it('shows tokens that cannot be changed here', async () => {
    for (const method of ['PATCH', 'DELETE'] as const) {
      expect(await send(method, { address: OPSX })).toMatchObject({
        status: 404,
        body: refusal(404, 'TOKEN_NOT_FOUND', 'Token not found'),
      });
    }
  });
});

describe('PATCH token', () => {
  it('changes what was sent, and leaves the rest', async () => {
    const feed = { address: await contracts.feed(), heartbeatSeconds: 60 };
    const before = (await add(usdx, { price: { apiId: 'usd-coin' }, logoUrl: 'https://example.org/a.png' })).body.data;
    const patch = (changes: object) => send('PATCH', { address: usdx, ...changes });

    expect((await patch({ premiumPercentage: '0', exposureCapWei: '0' })).body).toEqual({
      statusCode: 200,
      message: 'Token updated',
      data: { ...before, premiumPercentage: '0', exposureCapWei: '0' },
    });
    await patch({ price: { feed }, exposureCapWei: null, logoUrl: null });
    await patch({ chargingWays: ['batchApproval'] });
    expect(await own()).toEqual([
      {
        ...before,
        price: { feed, apiId: null, fixedUsd: null, coinFeed: null },
        premiumPercentage: '0',
        exposureCapWei: null,
        logoUrl: null,
        chargingWays: ['batchApproval'],
      },
    ]);
  });

  it('loses no change when several are sent at once', async () => {
    await add(usdx);
    const changes = [{ premiumPercentage: '1' }, { exposureCapWei: '2' }, { chargingWays: ['permit'] }];
    await Promise.all(changes.map((change) => send('PATCH', { address: usdx, ...change })));
    expect(await own()).toMatchObject([{ premiumPercentage: '1', exposureCapWei: '2', chargingWays: ['permit'] }]);
  });

  it.each(['feed', 'coinFeed'])('keeps the price when the new %s is none', async (name) => {
    await add(usdx);
    const price = { [name]: { address: randomAddress(), heartbeatSeconds: 1 } };
    expect((await send('PATCH', { address: usdx, price, premiumPercentage: '5' })).body).toEqual(
      refusal(400, 'INVALID_BODY', `price.${name}: address is no price feed: it does not answer decimals()`),
    );
    expect(await own()).toMatchObject([{ price: { fixedUsd: '1' }, premiumPercentage: '10' }]);
  });
});

describe('DELETE token', () => {
  it('deletes a token once', async () => {
    await add(usdx);
    expect((await send('DELETE', { address: usdx })).body).toEqual({ statusCode: 200, message: 'Token deleted' });
    expect(await own()).toEqual([]);
    expect(await send('DELETE', { address: usdx })).toMatchObject({
      status: 404,
      body: refusal(404, 'TOKEN_NOT_FOUND', 'Token not found'),
    });
    expect((await add(usdx)).status).toBe(200);
  });
});

describe('the tokens of somebody else', () => {
  it.each(['PATCH', 'DELETE'] as const)('are not found by %s, with whatever key', async (method) => {
    const theirs = await createPaymaster(dashboard);
    await add(usdx, {}, theirs);
    const body = { address: usdx, ...(method === 'PATCH' && { premiumPercentage: '0' }) };
    const mixed = { authToken: keys.authToken, apiKey: theirs.apiKey };
    for (const as of [keys, await sibling(theirs)]) {
      expect(await send(method, body, as)).toMatchObject({
        status: 404,
        body: refusal(404, 'TOKEN_NOT_FOUND', 'Token not found'),
      });
    }
    expect(await send(method, body, mixed)).toMatchObject({
      status: 404,
      body: refusal(404, 'USER_NOT_FOUND', 'User not found'),
    });
    expect(await own(theirs)).toMatchObject([{ address: usdx, premiumPercentage: '10' }]);
  });

  it('are neither listed nor added to with their key and another account', async () => {
    const theirs = await createPaymaster(dashboard);
    const mixed = { authToken: keys.authToken, apiKey: theirs.apiKey };
    expect(await send('GET', undefined, mixed)).toMatchObject({
      status: 404,
      body: refusal(404, 'USER_NOT_FOUND', 'User not found'),
    });
    expect(await add(usdx, {}, mixed)).toMatchObject({
      status: 404,
      body: refusal(404, 'USER_NOT_FOUND', 'User not found'),
    });
    expect(await own(theirs)).toEqual([]);
  });
});

describe('the table of tokens', () => {
  it.each<[string, string, string]>([
    ['an address in upper case', 'address', `'0xABCDEFABCDEFABCDEFABCDEFABCDEFABCDEFABCD'`],
    ['37 decimals', 'decimals', '37'],
    ['a premium over 100 %', 'premium_millionths', '1000001'],
    ['a negative premium', 'premium_millionths', '-1'],
    ['a negative cap', 'exposure_cap_wei', '-1'],
    ['no way of charging', 'charging_ways', `'{}'`],
    ['an unknown way', 'charging_ways', `'{gift}'`],
    ['no source of its price', 'price_fixed_usd', 'NULL'],
    ['a fixed price of zero', 'price_fixed_usd', `'0.0'`],
    ['a feed without a heartbeat', 'price_feed_address', `'${randomAddress()}'`],
    ['a logo over http', 'logo_url', `'http://example.org'`],
  ])('never holds %s', async (_title, column, value) => {
    await add(usdx);
    await expect(databaseOf(dashboard).query(`UPDATE dashboard.tokens SET ${column} = ${value}`)).rejects.toThrow(
      'violates check constraint',
    );
  });
});

/** Another paymaster of the same account. */
async function sibling({ authToken }: Keys, chainId = CHAIN_ID): Promise<Keys> {
  const created = await dashboard.call({ method: 'POST', path: '/paymaster', authToken, body: paymasterBody(chainId) });
  return { authToken, apiKey: String(created.body.data?.['apiKey']) };
}
