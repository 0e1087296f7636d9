import { limitInWords } from './limit-in-words';

it.each([
  ['Two a day: limit per USER and DAY', 'Two a day, for each account in each day'],
  ['One: more: limit per PAYMASTER and LIFETIME', 'One: more, for all accounts together for ever'],
  ['Cycle: limit per SMART_ACCOUNT', 'Cycle, for each account'],
  ['API key: limit per KEY and HOUR', 'API key, for this key in each hour'],
  [
    'Chains: shared limit per PAYMASTER and MONTH',
    'Chains, for all accounts together in each month, over all paymasters that share it',
  ],
  ['shared limit per USER and WEEK', 'shared limit for each account in each week'],
  ['liveSignatures:sender', 'operations of this account that are signed and have not landed'],
  ['liveSignatures:something new', 'operations that are signed and have not landed'],
  ['liveSignatures: limit per USER', 'liveSignatures, for each account'],
  ['something else', 'something else'],
])('limitInWords reads %s as %s', (rule, words) => {
  expect(limitInWords(rule)).toBe(words);
});
