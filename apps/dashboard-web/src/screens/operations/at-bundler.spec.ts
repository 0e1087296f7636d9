import { inList } from './at-bundler';

const AT = '2026-11-28T12:00:00.000Z';
const bundler = { name: 'alto', userOpHash: '0x1', at: AT, message: null };

describe('inList', () => {
  it.each([
    ['sent', null, 'sent to alto 12 s ago, in no block yet'],
    ['waiting', 'too cheap', 'waits at alto, was in no block 12 s ago: too cheap'],
    ['refused', 'AA21', 'refused by alto 12 s ago: AA21'],
    ['dropped', null, 'given up 12 s ago, last sent to alto'],
  ] as const)('says that an operation is %s', (state, message, text) => {
    const nowMs = Date.parse(AT) + 12_000;
    expect(inList({ state: 'granted', bundler: { ...bundler, state, message } }, nowMs)).toBe(text);
    expect(inList({ state: 'landed', bundler: { ...bundler, state, message } }, nowMs)).toBeUndefined();
    expect(inList({ state: 'granted', bundler: null }, nowMs)).toBeUndefined();
  });
});
