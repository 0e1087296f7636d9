import type { ChainEvent } from '@paymaster/domain';
import type { AppliedBlock } from './settlement-books';
import { payloadOf, placeEvents } from './event-rows';
import { GENESIS } from './testing/books-under-test';
import { hex } from './testing/model-chain';

const deposit = (logIndex: number, amountWei = 1n): ChainEvent => ({
  ...{ kind: 'deposited', logIndex, transactionHash: hex(32, 1), contract: hex(20, 0xc0), amountWei },
  wallet: `0x${'AB'.repeat(20)}`,
});
const block = (events: readonly ChainEvent[]): AppliedBlock => ({ block: GENESIS, events });

describe('placeEvents', () => {
  it('puts them in the order of their logs, in lower case', () => {
    const placed = placeEvents([block([deposit(7), deposit(2)])]);
    expect(placed.map(({ event }) => event.logIndex)).toEqual([2, 7]);
    expect(placed[0]!.event).toMatchObject({ wallet: `0x${'ab'.repeat(20)}` });
  });

  it('takes a log once when it came twice', () => {
    expect(placeEvents([block([deposit(2), deposit(2)])])).toHaveLength(1);
  });

  it('throws when two different events claim one place', () => {
    expect(() => placeEvents([block([deposit(2), deposit(2, 5n)])])).toThrow('two different events at log index 2');
  });
});

describe('payloadOf', () => {
  it('keeps amounts beyond what a JavaScript number can hold', () => {
    expect(payloadOf(deposit(1, 2n ** 255n + 1n))).toMatchObject({ amountWei: (2n ** 255n + 1n).toString() });
  });
});
