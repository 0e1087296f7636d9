import { createSiweMessage } from 'viem/siwe';
import { parseSiweMessage } from './siwe-message';

const ADDRESS = '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e';
const NOW = new Date('2026-01-31T12:00:00.000Z');
const FIELDS = {
  address: ADDRESS,
  chainId: 31337,
  domain: 'localhost:4301',
  uri: 'http://localhost:4301',
  version: '1',
  nonce: 'a1b2c3d4e5',
  issuedAt: NOW,
} as const;
const PARSED = {
  ...{ scheme: null, domain: 'localhost:4301', address: ADDRESS.toLowerCase(), uri: 'http://localhost:4301' },
  ...{ chainId: 31337, nonce: 'a1b2c3d4e5', issuedAt: NOW, expirationTime: null, notBefore: null },
};
const MESSAGE = createSiweMessage(FIELDS);

describe('parseSiweMessage', () => {
  it('reads what viem writes', () => expect(parseSiweMessage(MESSAGE)).toEqual(PARSED));

  it('reads what viem writes with every field', () => {
    const message = createSiweMessage({
      ...{ ...FIELDS, scheme: 'https', statement: 'Sign in to the dashboard, please.' },
      ...{ expirationTime: new Date(+NOW + 1_000), notBefore: new Date(+NOW - 1_000), requestId: 'a request' },
      resources: ['https://example.org/terms', 'ipfs://abc'],
    });
    expect(parseSiweMessage(message)).toEqual({
      ...{ ...PARSED, scheme: 'https' },
      ...{ expirationTime: new Date(+NOW + 1_000), notBefore: new Date(+NOW - 1_000) },
    });
  });

  it.each([
    ['a character after the end', `${MESSAGE}\n`],
    ['a character before the beginning', ` ${MESSAGE}`],
    ['two kinds of line ends', MESSAGE.replace('\n', '\r\n')],
    ['another version', MESSAGE.replace('Version: 1', 'Version: 2')],
    ['a statement of two lines', MESSAGE.replace('\n\n\n', '\n\nfirst\nsecond\n\n')],
    ['a statement that hides fields', MESSAGE.replace('\n\n\n', `\n\n${'x'}\nURI: https://a.example\n\n`)],
    ['a statement with an invisible character', MESSAGE.replace('\n\n\n', '\n\nSign\u202ein\n\n')],
    ['an address without its checksum', MESSAGE.replace(ADDRESS, ADDRESS.toLowerCase())],
    ['a field twice', MESSAGE.replace('Nonce: ', 'Nonce: aaaaaaaa\nNonce: ')],
    ['fields in another order', MESSAGE.replace(/(Version: 1)\n(Chain ID: 31337)/, '$2\n$1')],
    ['an unknown field', `${MESSAGE}\nAdmin: true`],
    ['a nonce of seven characters', MESSAGE.replace('a1b2c3d4e5', 'a1b2c3d')],
    ['a chain id in hex', MESSAGE.replace('31337', '0x7a69')],
    ['a chain id with a leading zero', MESSAGE.replace('31337', '031337')],
    ['a time that is none', MESSAGE.replace('2026-01-31T', '2026-13-31T')],
    ['a time in words', MESSAGE.replace(NOW.toISOString(), NOW.toUTCString())],
    ['a domain with a path', MESSAGE.replace('localhost:4301 wants', 'localhost:4301/a wants')],
    ['a domain with a name in front', MESSAGE.replace('localhost:4301 wants', 'bank.example@localhost:4301 wants')],
    ['no text', ''],
  ])('refuses %s', (_what, message) => expect(parseSiweMessage(message)).toBeNull());
});
