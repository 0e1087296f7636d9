import { nameCall } from '../../abi/decode-call';
import { listOf, partName, partOf } from './part-name';

const COUNTER = `0x${'cc'.repeat(20)}`;
const OTHER = `0x${'dd'.repeat(20)}`;
const known = {
  contracts: [
    {
      ...{ name: 'Counter', address: COUNTER, whitelistedMethods: [], methods: ['increment'] },
      abi: JSON.stringify([
        { type: 'function', name: 'increment', inputs: [], outputs: [], stateMutability: 'nonpayable' },
      ]),
    },
  ],
  policies: [{ _id: 'p1', name: 'Two a day' }],
  keys: [{ keyId: 'k1', name: 'web app' }],
  tokens: [{ address: OTHER, symbol: 'USDx' }],
};

it.each([
  ['contract', COUNTER, 'Counter'],
  ['contract', OTHER, undefined],
  ['method', `${COUNTER}:0xd09de08a`, 'increment() on Counter'],
  ['method', `${COUNTER}:0x12345678`, '0x12345678 on Counter'],
  ['method', `${OTHER}:0xd09de08a`, undefined],
  ['policy', 'p1', 'Two a day'],
  ['policy', 'p2', undefined],
  ['key', 'k1', 'web app'],
  ['key', 'k2', undefined],
  ['token', OTHER, 'USDx'],
  ['token', COUNTER, undefined],
  ['sender', COUNTER, undefined],
] as const)('partName of the %s %s is %s', (part, key, name) => {
  expect(partName(part, key, known, nameCall)).toBe(name);
});

it('calls a method by its selector until ABIs can be read', () => {
  expect(partName('method', `${COUNTER}:0xd09de08a`, known)).toBe('0xd09de08a on Counter');
});

it.each([
  ['method', `${COUNTER}:0xd09de08a`, `/operations?contract=${COUNTER}`],
  ['sender', OTHER, `/operations?sender=${OTHER}`],
  ['policy', 'p1', undefined],
  ['key', 'k1', undefined],
  ['token', OTHER, undefined],
] as const)('listOf the %s %s is %s', (part, key, path) => {
  expect(listOf(part, key)).toBe(path);
});

it.each([
  ['policy', 'policy'],
  ['toString', 'contract'],
  [undefined, 'contract'],
])('partOf %s is %s', (text, part) => {
  expect(partOf(text)).toBe(part);
});
