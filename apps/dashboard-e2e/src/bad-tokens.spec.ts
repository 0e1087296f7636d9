import { CANONICAL_ENTRY_POINTS, NATIVE_PSEUDO_ADDRESS, ZERO_ADDRESS } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
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
import { leavingNoTrace } from './support/unchanged';

const ADDRESS = 'must be an address: 0x and 40 hexadecimal digits';
const SYMBOL = 'address: symbol() is not 1 to 32 printable characters, left to right and without markup';
const NO_SOURCE = 'price must name at least one of feed, apiId, fixedUsd and coinFeed';
const PREMIUM = 'premiumPercentage must be text of a number from 0 to 100 with at most 4 decimals';
const LOGO = 'logoUrl must be an https URL of at most 2048 characters, or null';
const FEED = { address: `0x${'11'.repeat(20)}`, heartbeatSeconds: 60 };

let keys: Keys;
let token: TokenRecord;
let another: string;
beforeAll(async () => {
  keys = only(await freshPaymaster((await freshAccount()).authToken));
  token = await freshToken(keys);
  another = await deployToken();
});

const post = (body: object) => call({ method: 'POST', path: '/token', ...keys, body });
const patch = (body: object) => call({ method: 'PATCH', path: '/token', ...keys, body });

/** Bad-input corpus, C5 (144 to 149), C6 and C7: tokens that are none, and bodies that say nothing good. */
describe('POST token', () => {
  it.each<[string, () => Promise<string> | string, string]>([
    [
      'an account without code, or a token of another chain',
      () => randomAddress(),
      'address: there is no contract at this address',
    ],
    ['the zero address', () => ZERO_ADDRESS, 'address must not be the zero address'],
    [
      'the native pseudo-address',
      () => NATIVE_PSEUDO_ADDRESS.toUpperCase().replace('0X', '0x'),
      `address must be that of a token: ${NATIVE_PSEUDO_ADDRESS} stands for the native coin`,
    ],
    ['a token of 77 decimals', () => deployToken({ decimals: 77 }), 'address: the token has more than 36 decimals'],
    ['a token without a symbol', () => deployToken({ symbol: '' }), SYMBOL],
    ['a token whose symbol changes direction', () => deployToken({ symbol: 'US\u202eDx' }), SYMBOL],
    ['a token whose symbol is markup', () => deployToken({ symbol: '<b>USD</b>' }), SYMBOL],
    ['a token whose symbol is a page', () => deployToken({ symbol: 'x'.repeat(10_000) }), SYMBOL],
    ['a price feed', () => deployFeed(), SYMBOL],
    [
      'an EntryPoint',
      () => CANONICAL_ENTRY_POINTS['0.7'],
      'address must not be an EntryPoint or a paymaster of this platform',
    ],
    ['an address with a line break', () => `0x${'a'.repeat(40)}\n`, `address ${ADDRESS}`],
    ['an address of a megabyte', () => `0x${'a'.repeat(1_000_000)}`, `address ${ADDRESS}`],
  ])('refuses %s', async (_title, address, message) => {
    const body = { address: await address(), price: { fixedUsd: '1' } };
    const answer = await leavingNoTrace(keys, () => post(body));
    expectRefusal(answer, 400, message);
  });

  it.each<[string, object, string]>([
    ['no price', { price: undefined }, 'price must be an object'],
    ['a price without a source', { price: {} }, NO_SOURCE],
    ['a price of an unknown source', { price: { oracle: '1' } }, NO_SOURCE],
    [
      'a feed that is none',
      { price: { feed: FEED } },
      'price.feed: address is no price feed: it does not answer decimals()',
    ],
    [
      'a heartbeat of 0',
      { price: { feed: { ...FEED, heartbeatSeconds: 0 } } },
      'price.feed: heartbeatSeconds must not be less than 1',
    ],
    [
      'a heartbeat over a week',
      { price: { feed: { ...FEED, heartbeatSeconds: 604_801 } } },
      'price.feed: heartbeatSeconds must not be greater than 604800',
    ],
    [
      'a fixed price of zero',
      { price: { fixedUsd: '0' } },
      'price: fixedUsd must be decimal text above zero, such as "0.9995", with at most 18 digits on either side of the point',
    ],
    [
      'an API id with a comma',
      { price: { apiId: 'a,b' } },
      'price: apiId must be 1 to 100 letters, digits, dots, underscores and hyphens',
    ],
    ['a premium over 100', { premiumPercentage: '100.0001' }, PREMIUM],
    ['a premium as a number', { premiumPercentage: 10 }, PREMIUM],
    ['a cap as a number', { exposureCapWei: 5 }, 'exposureCapWei must be a string of decimal digits or null'],
    ['no way of charging', { chargingWays: [] }, 'chargingWays should not be empty'],
    [
      'an unknown way of charging',
      { chargingWays: ['gift'] },
      'each value in chargingWays must be one of the following values: allowance, permit, batchApproval',
    ],
    ['a way of charging twice', { chargingWays: ['permit', 'permit'] }, 'chargingWays must not name a way twice'],
    ['a logo over http', { logoUrl: 'http://example.org/logo.png' }, LOGO],
    ['a logo of markup', { logoUrl: 'https://example.org/"><script>alert(1)</script>' }, LOGO],
    ['a logo of 2,049 characters', { logoUrl: `https://example.org/${'a'.repeat(2_029)}` }, LOGO],
  ])('refuses %s', async (_title, overrides, message) => {
    const body = { address: another, price: { fixedUsd: '1' }, ...overrides };
    expectRefusal(await leavingNoTrace(keys, () => post(body)), 400, message);
  });

  it.each([
    ['__proto__', `{"address":"0x${'1'.repeat(40)}","__proto__":{"price":{"fixedUsd":"1"}}}`],
    ['constructor.prototype in the price', `{"price":{"constructor":{"prototype":{"fixedUsd":"1"}}}}`],
  ])('refuses a body with %s', async (_title, rawBody) => {
    const answer = await leavingNoTrace(keys, () => call({ method: 'POST', path: '/token', ...keys, rawBody }));
    expectRefusal(answer, 400, 'The body is not valid JSON');
  });

  it.each(['symbol', 'decimals', 'transferGas', 'source'])('refuses %s, which is read on chain', async (field) => {
    const body = { address: another, price: { fixedUsd: '1' }, [field]: 1 };
    expectRefusal(await leavingNoTrace(keys, () => post(body)), 400, `property ${field} should not exist`);
  });

  it('takes symbol and decimals from the chain', async () => {
    const own = only(await freshPaymaster(keys.authToken));
    await call({ method: 'POST', path: '/token', ...own, body: { address: another, price: { fixedUsd: '1' } } });
    expect((await listTokens(own))[0]).toMatchObject({
      source: 'paymaster',
      symbol: 'NEWx',
      decimals: 6,
      price: { feed: null, apiId: null, fixedUsd: '1' },
    });
  });

  it('lets one of ten equal requests win', async () => {
    const own = only(await freshPaymaster(keys.authToken));
    const body = { address: another, price: { fixedUsd: '1' } };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call({ method: 'POST', path: '/token', ...own, body })),
    );
    const lost = answers.filter(({ status }) => status !== 200);
    expect(lost).toHaveLength(9);
    lost.forEach((answer) => expectRefusal(answer, 400, 'Token already exists'));
  });
});

describe('PATCH token', () => {
  it.each<[string, object, string]>([
    ['no address', { address: undefined }, 'address must be a string'],
    ['null as price', { price: null }, 'price must be an object'],
    ['a price without a source', { price: { feed: null } }, NO_SOURCE],
    [
      'a feed that is none',
      { price: { feed: FEED } },
      'price.feed: address is no price feed: it does not answer decimals()',
    ],
    ['a premium of null', { premiumPercentage: null }, PREMIUM],
    ['ways of charging as text', { chargingWays: 'permit' }, 'chargingWays must be an array'],
    ['a logo that runs', { logoUrl: 'javascript:alert(1)' }, LOGO],
  ])('refuses %s', async (_title, overrides, message) => {
    const body = { address: token.address, ...overrides };
    expectRefusal(await leavingNoTrace(keys, () => patch(body)), 400, message);
  });

  it.each(['symbol', 'decimals', 'transferGas'])('refuses %s, which is read on chain', async (field) => {
    const answer = await leavingNoTrace(keys, () => patch({ address: token.address, [field]: 1 }));
    expectRefusal(answer, 400, `property ${field} should not exist`);
  });
});

describe('DELETE token', () => {
  it.each<[string, object | undefined, string]>([
    ['no body', undefined, 'address must be a string'],
    ['a list of addresses', { address: [`0x${'11'.repeat(20)}`] }, 'address must be a string'],
  ])('refuses %s', async (_title, body, message) => {
    const answer = await leavingNoTrace(keys, () => call({ method: 'DELETE', path: '/token', ...keys, body }));
    expectRefusal(answer, 400, message);
  });
});
