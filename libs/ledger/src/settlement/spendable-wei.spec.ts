import fc from 'fast-check';
import { spendableWei, type WalkedEvent } from './spendable-wei';

const seed = Number(process.env['TEST_SEED']);
const amount = fc.bigInt({ min: 0n, max: 2_000n });

/** The steps that the contract makes with a wallet. */
type Step = { readonly kind: 'deposit' | 'request' | 'cancel' | 'execute' | 'charge'; readonly amountWei: bigint };
interface State {
  readonly balanceWei: bigint;
  readonly requestedWei: bigint;
}

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom<Step['kind'][]>('deposit', 'request', 'cancel', 'execute', 'charge'),
    amountWei: amount,
  }),
  { maxLength: 20 },
);
const start = fc.record({ balanceWei: amount, requestedWei: amount });

/** The contract's rules, and the ledger's event for each step. */
function take(state: State, { kind, amountWei }: Step): { next: State; told?: WalkedEvent } {
  const { balanceWei, requestedWei } = state;
  const least = (limit: bigint) => (limit < balanceWei ? limit : balanceWei);
  switch (kind) {
    case 'deposit':
      return { next: { ...state, balanceWei: balanceWei + amountWei } };
    case 'cancel':
      return { next: { ...state, requestedWei: 0n } };
    case 'request':
      return { next: { ...state, requestedWei: amountWei }, told: { kind: 'withdrawalRequested', amountWei } };
    case 'execute': {
      const paid = least(requestedWei);
      const told = { kind: 'withdrawalExecuted', amountWei: paid } as const;
      return { next: { balanceWei: balanceWei - paid, requestedWei: 0n }, told };
    }
    case 'charge': {
      const paid = least(amountWei);
      return { next: { ...state, balanceWei: balanceWei - paid }, told: { kind: 'charge', amountWei: paid } };
    }
  }
}

const left = ({ balanceWei, requestedWei }: State): bigint =>
  balanceWei > requestedWei ? balanceWei - requestedWei : 0n;

describe('spendableWei', () => {
  it('is balance less request where nothing happened since', () => {
    expect(spendableWei({ balanceWei: 10n, requestedWei: 3n, events: [] })).toBe(7n);
    expect(spendableWei({ balanceWei: 10n, requestedWei: 30n, events: [] })).toBe(0n);
  });

  it('is the smallest over all ways in which the chain can still end', () => {
    const events: WalkedEvent[] = [
      { kind: 'withdrawalRequested', amountWei: 6n },
      { kind: 'withdrawalRequested', amountWei: 2n },
      { kind: 'charge', amountWei: 1n },
    ];
    expect(spendableWei({ balanceWei: 10n, requestedWei: 0n, events })).toBe(4n);
    expect(spendableWei({ balanceWei: 10n, requestedWei: 9n, events })).toBe(1n);
  });

  it('is what was left, and not less, once a withdrawal is executed', () => {
    const events: WalkedEvent[] = [{ kind: 'withdrawalExecuted', amountWei: 6n }];
    expect(spendableWei({ balanceWei: 10n, requestedWei: 6n, events })).toBe(4n);
  });

  it('is never more than what is left wherever the chain is cut, deposits and cancelled requests or not', () => {
    fc.assert(
      fc.property(start, steps, (first, taken) => {
        const ends = [first];
        const events: WalkedEvent[] = [];
        for (const step of taken) {
          const { next, told } = take(ends.at(-1)!, step);
          ends.push(next);
          if (told) events.push(told);
        }
        const spendable = spendableWei({ ...first, events });
        for (const end of ends) expect(spendable <= left(end)).toBe(true);
      }),
      { seed, numRuns: 1_000 },
    );
  });

  it('is exactly the smallest balance if no event makes the wallet richer', () => {
    const poorer = steps.map((taken) => taken.filter(({ kind }) => kind !== 'deposit' && kind !== 'cancel'));
    fc.assert(
      fc.property(start, poorer, (first, taken) => {
        let state = first;
        let least = left(first);
        const events: WalkedEvent[] = [];
        for (const step of taken) {
          const { next, told } = take(state, step);
          state = next;
          if (told) events.push(told);
          if (left(state) < least) least = left(state);
        }
        expect(spendableWei({ ...first, events })).toBe(least);
      }),
      { seed, numRuns: 1_000 },
    );
  });

  it('never grows by one more event', () => {
    fc.assert(
      fc.property(start, steps, (first, taken) => {
        let [state, spendable] = [first, spendableWei({ ...first, events: [] })];
        const events: WalkedEvent[] = [];
        for (const step of taken) {
          const { next, told } = take(state, step);
          state = next;
          if (told) events.push(told);
          const now = spendableWei({ ...first, events });
          expect(now <= spendable).toBe(true);
          spendable = now;
        }
      }),
      { seed, numRuns: 300 },
    );
  });
});
