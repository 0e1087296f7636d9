import type { KeyGrant } from '@paymaster/domain';
import { keyGrantBuilder, randomAddress } from '@paymaster/domain/testing';
import {
  assertKeyCalls,
  assertKeyMayBundle,
  assertKeyServes,
  assertKeyServesSender,
  hasExpired,
  originsOfKey,
} from './key-grants';

const keyWith = (changes: Partial<KeyGrant>): KeyGrant => ({ ...keyGrantBuilder().build(), ...changes });
const METHOD = { name: 'pm_getPaymasterData', refusals: ['request', 'caller'] } as const;
const BUNDLERS_METHOD = { name: 'eth_sendUserOperation', refusals: ['request', 'caller', 'bundlerUse'] } as const;
/** The reason for which it is refused, or undefined. */
function refusalOf(ask: () => void): unknown {
  try {
    ask();
    return undefined;
  } catch (error) {
    return (error as { reason: string }).reason;
  }
}
const from = (key: KeyGrant, use: { origin?: string; clientAddress?: string }) =>
  refusalOf(() => assertKeyServes(key, { origin: use.origin, clientAddress: use.clientAddress }));

describe('a key that nothing narrows', () => {
  it('serves everybody', () => {
    const key = keyWith({});
    expect(from(key, {})).toBeUndefined();
    expect(refusalOf(() => assertKeyCalls(key, 'pm_explain'))).toBeUndefined();
    expect(refusalOf(() => assertKeyMayBundle(key, BUNDLERS_METHOD))).toBeUndefined();
    expect(refusalOf(() => assertKeyServesSender(key, randomAddress()))).toBeUndefined();
  });
});

describe('the end of a key', () => {
  afterEach(() => jest.restoreAllMocks());

  it('is the first millisecond in which it is refused, by the gateway’s clock', () => {
    const now = jest.spyOn(Date, 'now').mockReturnValue(999);
    const key = keyWith({ expiresAtMs: 1_000 });
    expect(hasExpired(key)).toBe(false);
    now.mockReturnValue(1_000);
    expect(hasExpired(key)).toBe(true);
    expect(hasExpired(keyWith({ expiresAtMs: null }))).toBe(false);
  });
});

describe('the origins of a key', () => {
  it.each([
    [undefined, 'ORIGIN_NOT_ALLOWED'],
    ['null', 'ORIGIN_NOT_ALLOWED'],
    ['', 'ORIGIN_NOT_ALLOWED'],
    ['https://evil.example', 'ORIGIN_NOT_ALLOWED'],
    ['https://app.example.evil.example', 'ORIGIN_NOT_ALLOWED'],
    ['https://APP.example', 'ORIGIN_NOT_ALLOWED'],
    ['http://app.example', 'ORIGIN_NOT_ALLOWED'],
    ['https://app.example:8443', 'ORIGIN_NOT_ALLOWED'],
    ['https://app.example', undefined],
  ])('%s: %s', (origin, reason) => {
    expect(
      from(keyWith({ allowedOrigins: ['https://app.example'] }), { ...(origin !== undefined && { origin }) }),
    ).toBe(reason);
  });

  it.each<[readonly string[], readonly string[] | null | undefined, readonly string[]]>([
    [['*'], undefined, ['*']],
    [['*'], null, ['*']],
    [['a'], null, ['a']],
    [['*'], ['a', 'b'], ['a', 'b']],
    [['b', 'c'], ['a', 'b'], ['b']],
    [['c'], ['a'], []],
  ])('of a paymaster with %j and a key with %j are %j', (ofPaymaster, ofKey, both) => {
    const key = ofKey === undefined ? null : keyWith({ allowedOrigins: ofKey });
    expect(originsOfKey(ofPaymaster, key)).toEqual(both);
  });
});

describe('the networks of a key', () => {
  const key = keyWith({ allowedNetworks: ['203.0.113.0/24', '198.51.100.7', '2001:db8::/32', '2001:db9::1'] });
  it.each([
    ['203.0.113.0', true],
    ['203.0.113.255', true],
    ['203.0.114.0', false],
    ['198.51.100.7', true],
    ['198.51.100.8', false],
    ['::ffff:203.0.113.9', true],
    ['::FFFF:203.0.114.9', false],
    ['2001:db8:ffff::1', true],
    ['2001:db8::1%eth0', true],
    ['2001:db9::1', true],
    ['2001:db9::2', false],
    ['127.0.0.1', false],
    ['garbage', false],
    ['', false],
    [undefined, false],
  ])('%s: %s', (clientAddress, isServed) => {
    const use = clientAddress === undefined ? {} : { clientAddress };
    expect(from(key, use)).toBe(isServed ? undefined : 'KEY_NETWORK_NOT_ALLOWED');
  });

  it('are all addresses of a family where a block says so', () => {
    const everyIPv4 = keyWith({ allowedNetworks: ['0.0.0.0/0'] });
    expect(from(everyIPv4, { clientAddress: '8.8.8.8' })).toBeUndefined();
    expect(from(everyIPv4, { clientAddress: '2001:db8::1' })).toBe('KEY_NETWORK_NOT_ALLOWED');
  });
});

describe('methods and senders of a key', () => {
  it('are those listed, and no others', () => {
    const sender = randomAddress();
    const key = keyWith({ allowedMethods: ['pm_getPaymasterStubData'], allowedSenders: [sender] });
    expect(refusalOf(() => assertKeyCalls(key, 'pm_getPaymasterStubData'))).toBeUndefined();
    expect(refusalOf(() => assertKeyCalls(key, 'pm_getPaymasterData'))).toBe('KEY_METHOD_NOT_ALLOWED');
    expect(refusalOf(() => assertKeyServesSender(key, sender.toUpperCase().replace('0X', '0x') as never))).toBe(
      undefined,
    );
    expect(refusalOf(() => assertKeyServesSender(key, randomAddress()))).toBe('KEY_SENDER_NOT_ALLOWED');
  });
});

describe('the use of the bundlers of a key', () => {
  it.each([
    ['off', 'KEY_BUNDLER_OFF'],
    ['sponsored', undefined],
    ['any', undefined],
  ] as const)('%s: %s for a method of a bundler, and nothing for one of a paymaster', (bundler, reason) => {
    const key = keyWith({ bundler });
    expect(refusalOf(() => assertKeyMayBundle(key, BUNDLERS_METHOD))).toBe(reason);
    expect(refusalOf(() => assertKeyMayBundle(key, METHOD))).toBeUndefined();
  });
});
