import { NATIVE_PSEUDO_ADDRESS, ZERO_ADDRESS } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { RequestPipe } from '../../platform/http/request.pipe';
import { InvalidBodyError } from '../../platform/http/dashboard-errors';
import { DeleteTokenDto, RegisterTokenDto, UpdateTokenDto } from './token.dto';

const pipe = new RequestPipe();
const parse = (metatype: new () => object, body: object) => pipe.transform(body, { type: 'body', metatype });
const problemOf = async (metatype: new () => object, body: object): Promise<string | undefined> =>
  parse(metatype, body).then(
    () => undefined,
    (error: InvalidBodyError) => error.message,
  );

const ADDRESS = 'must be an address: 0x and 40 hexadecimal digits';
const FIXED_USD =
  'price: fixedUsd must be decimal text above zero, such as "0.9995", with at most 18 digits on either side of the point';
const API_ID = 'price: apiId must be 1 to 100 letters, digits, dots, underscores and hyphens';
const PREMIUM = 'premiumPercentage must be text of a number from 0 to 100 with at most 4 decimals';
const CAP = 'exposureCapWei must be a string of decimal digits or null';
const LOGO = 'logoUrl must be an https URL of at most 2048 characters, or null';
const NO_SOURCE = 'price must name at least one of feed, apiId, fixedUsd and coinFeed';

const feed = { address: randomAddress(), heartbeatSeconds: 3_600 };
const minimal = () => ({ address: randomAddress(), price: { fixedUsd: '1' } });

describe('the body of POST token', () => {
  it.each<[string, object]>([
    ['an address and a fixed price', {}],
    ['a feed', { price: { feed } }],
    ['every source', { price: { feed, apiId: 'usd-coin', fixedUsd: '0.000000000000000001' } }],
    ['nulls for what is not there', { price: { feed: null, apiId: null, fixedUsd: '999999999999999999' } }],
    ['every term', { premiumPercentage: '2.5', exposureCapWei: '0', chargingWays: ['permit'], logoUrl: null }],
    ['the largest amounts', { premiumPercentage: '100', exposureCapWei: '9'.repeat(77) }],
    ['a logo with a query', { logoUrl: 'https://cdn.example.org/a%20b/logo.png?size=32#x' }],
    ['a logo of 2,048 characters', { logoUrl: `https://example.org/${'a'.repeat(2_028)}` }],
  ])('may hold %s', async (_title, body) => {
    await expect(parse(RegisterTokenDto, { ...minimal(), ...body })).resolves.toBeInstanceOf(RegisterTokenDto);
  });

  it.each<[string, object, string]>([
    ['no address', { address: undefined }, 'address must be a string'],
    ['an address that is none', { address: '0x12' }, `address ${ADDRESS}`],
    ['the zero address', { address: ZERO_ADDRESS }, 'address must not be the zero address'],
    [
      'the native pseudo-address',
      { address: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE' },
      `address must be that of a token: ${NATIVE_PSEUDO_ADDRESS} stands for the native coin`,
    ],
    ['no price', { price: undefined }, 'price must be an object'],
    ['null as price', { price: null }, 'price must be an object'],
    ['text as price', { price: '1' }, 'price must be an object'],
    ['a list as price', { price: [{ fixedUsd: '1' }] }, 'price must be an object'],
    ['a price without a source', { price: {} }, NO_SOURCE],
    ['a price of nulls', { price: { feed: null, apiId: null, fixedUsd: null } }, NO_SOURCE],
    [
      'a price of unknown sources',
      { price: { oracle: 'me' } },
      'price must name at least one of feed, apiId, fixedUsd and coinFeed',
    ],
    ['a fixed price of zero', { price: { fixedUsd: '0.0' } }, FIXED_USD],
    ['a negative fixed price', { price: { fixedUsd: '-1' } }, FIXED_USD],
    ['a fixed price as a number', { price: { fixedUsd: 1 } }, FIXED_USD],
    ['a fixed price with an exponent', { price: { fixedUsd: '1e3' } }, FIXED_USD],
    ['a fixed price of 19 decimals', { price: { fixedUsd: `0.${'1'.repeat(19)}` } }, FIXED_USD],
    ['a fixed price of a megabyte', { price: { fixedUsd: '1'.repeat(1_000_000) } }, FIXED_USD],
    ['an empty API id', { price: { apiId: '' } }, API_ID],
    ['an API id that goes on', { price: { apiId: 'usd-coin,ethereum' } }, API_ID],
    ['an API id of 101 characters', { price: { apiId: 'a'.repeat(101) } }, API_ID],
    ['text as feed', { price: { feed: feed.address } }, 'price: feed must be an object'],
    ['a list as feed', { price: { feed: [feed] } }, 'price: feed must be an object'],
    [
      'a feed without an address',
      { price: { feed: { ...feed, address: undefined } } },
      'price.feed: address must be a string',
    ],
    ['a feed at no address', { price: { feed: { ...feed, address: '0x' } } }, `price.feed: address ${ADDRESS}`],
    [
      'a feed at the zero address',
      { price: { feed: { ...feed, address: ZERO_ADDRESS } } },
      'price.feed: address must not be the zero address',
    ],
    [
      'a feed without a heartbeat',
      { price: { feed: { address: feed.address } } },
      'price.feed: heartbeatSeconds must be an integer number',
    ],
    [
      'a heartbeat as text',
      { price: { feed: { ...feed, heartbeatSeconds: '60' } } },
      'price.feed: heartbeatSeconds must be an integer number',
    ],
    [
      'a heartbeat of 0',
      { price: { feed: { ...feed, heartbeatSeconds: 0 } } },
      'price.feed: heartbeatSeconds must not be less than 1',
    ],
    [
      'a heartbeat over a week',
      { price: { feed: { ...feed, heartbeatSeconds: 604_801 } } },
      'price.feed: heartbeatSeconds must not be greater than 604800',
    ],
    ['a premium as a number', { premiumPercentage: 10 }, PREMIUM],
    ['a premium of null', { premiumPercentage: null }, PREMIUM],
    ['a premium over 100', { premiumPercentage: '100.0001' }, PREMIUM],
    ['a negative premium', { premiumPercentage: '-1' }, PREMIUM],
    ['a premium of 5 decimals', { premiumPercentage: '1.00001' }, PREMIUM],
    ['a cap as a number', { exposureCapWei: 1 }, CAP],
    ['a cap in hex', { exposureCapWei: '0x1' }, CAP],
    ['a negative cap', { exposureCapWei: '-1' }, CAP],
    ['a cap of 78 digits', { exposureCapWei: '1'.repeat(78) }, CAP],
    ['ways as text', { chargingWays: 'permit' }, 'chargingWays must be an array'],
    ['ways null', { chargingWays: null }, 'chargingWays must be an array'],
    ['no way', { chargingWays: [] }, 'chargingWays should not be empty'],
    [
      'an unknown way',
      { chargingWays: ['gift'] },
      'each value in chargingWays must be one of the following values: allowance, permit, batchApproval',
    ],
    ['a way named twice', { chargingWays: ['permit', 'permit'] }, 'chargingWays must not name a way twice'],
    ['a logo over http', { logoUrl: 'http://example.org/logo.png' }, LOGO],
    ['a logo that runs', { logoUrl: 'javascript:alert(1)' }, LOGO],
    ['a logo in the text', { logoUrl: 'data:image/svg+xml,<svg/>' }, LOGO],
    ['a logo with a password', { logoUrl: 'https://user:secret@example.org/logo.png' }, LOGO],
    ['a logo with a quote', { logoUrl: 'https://example.org/"onerror="x' }, LOGO],
    ['a logo with a space', { logoUrl: 'https://example.org/a b' }, LOGO],
    ['a logo of letters beyond ASCII', { logoUrl: 'https://exämple.org/logo.png' }, LOGO],
    ['a logo without a host', { logoUrl: 'https://?x' }, LOGO],
    ['a logo of 2,049 characters', { logoUrl: `https://example.org/${'a'.repeat(2_029)}` }, LOGO],
    ['an empty logo', { logoUrl: '' }, LOGO],
  ])('is refused with %s', async (_title, body, message) => {
    expect(await problemOf(RegisterTokenDto, { ...minimal(), ...body })).toBe(message);
  });

  it.each<[string, object, string]>([
    ['beside the address', { symbol: 'USDC' }, 'property symbol should not exist'],
    ['in the price', { price: { fixedUsd: '1', trusted: true } }, 'price: property trusted should not exist'],
    ['in the feed', { price: { feed: { ...feed, admin: 1 } } }, 'price.feed: property admin should not exist'],
    ['of a long name', { ['a'.repeat(10_000)]: 1 }, `property ${'a'.repeat(100)} should not exist`],
  ])('is refused with an unknown field %s', async (_title, body, message) => {
    expect(await problemOf(RegisterTokenDto, { ...minimal(), ...body })).toBe(message);
  });
});

describe('the body of PATCH token', () => {
  it('may leave everything out but the address', async () => {
    expect(await problemOf(UpdateTokenDto, { address: randomAddress() })).toBeUndefined();
    expect(await problemOf(UpdateTokenDto, {})).toBe('address must be a string');
  });

  it('may take away the cap and the logo, and nothing else', async () => {
    const address = randomAddress();
    expect(await problemOf(UpdateTokenDto, { address, exposureCapWei: null, logoUrl: null })).toBeUndefined();
    expect(await problemOf(UpdateTokenDto, { address, price: null })).toBe('price must be an object');
    expect(await problemOf(UpdateTokenDto, { address, price: {} })).toBe(NO_SOURCE);
    expect(await problemOf(UpdateTokenDto, { address, premiumPercentage: null })).toBe(PREMIUM);
    expect(await problemOf(UpdateTokenDto, { address, chargingWays: [] })).toBe('chargingWays should not be empty');
  });
});

describe('the body of DELETE token', () => {
  it('needs an address', async () => {
    expect(await problemOf(DeleteTokenDto, {})).toBe('address must be a string');
    expect(await problemOf(DeleteTokenDto, { address: randomAddress() })).toBeUndefined();
  });
});
