import { randomBytes, randomUUID } from 'node:crypto';
import { randomAddress } from '@paymaster/domain/testing';
import { randomApiKey } from '../../testing/api-key';
import { masked } from './masked';

const SECRET = randomBytes(24).toString('base64url');
const JWT = `eyJhbGciOiJFZERTQSJ9.${Buffer.from(SECRET).toString('base64url')}.${SECRET}`;
const SIGNATURE = randomBytes(65).toString('hex');

it.each([
  [`The key ${randomApiKey()} has ended.`, 'The key (API key) has ended.'],
  [
    `at https://user:${SECRET}@rpc.example:8545/v2/${SECRET}?key=${SECRET}: timeout`,
    'at (URL at rpc.example:8545) timeout',
  ],
  [`wss://${SECRET}[`, '(URL)'],
  [`The token pm_auth_${SECRET} is unknown.`, 'The token (token) is unknown.'],
  [`session ${JWT} has ended`, 'session (token) has ended'],
  [`reverted with 0x${SIGNATURE}`, 'reverted with (65 bytes)'],
  [`reverted with ${SIGNATURE}!`, 'reverted with (65 bytes)!'],
  ['a\u0000b\ud800c\n', 'a b c '],
])('hides what may be secret in %j', (text, shown) => {
  expect(masked(text)).toBe(shown);
});

it('cuts between characters, because Postgres takes no half of one', () => {
  expect(masked(`${'x'.repeat(9)}${'\u{1f600}'.repeat(9)}`, 10)).toBe(`${'x'.repeat(9)}\u{1f600}`);
});

it.each([
  `The contract ${randomAddress()} is not registered.`,
  `Request ${randomUUID()}: limit 4,441,970,092 > 2,000,000,000 (policy “Café”, 0x${'ab'.repeat(32)})`,
])('shows the rest: %s', (text) => {
  expect(masked(text)).toBe(text);
});
