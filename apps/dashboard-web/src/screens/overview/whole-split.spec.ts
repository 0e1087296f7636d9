import { faker } from '@faker-js/faker';
import { formatUnits, parseUnits } from 'viem';
import { restName, restOf, sumOf } from './whole-split';

const TURNS = 200;

interface Landed {
  readonly policy: string | null;
  readonly key: string | null;
  readonly token: string | null;
  readonly contracts: readonly string[];
  readonly sender: string;
  readonly mode: 'sponsored' | 'token';
  readonly costWei: bigint;
  /** USD times 1e12; null: not recorded. */
  readonly spentUsd: bigint | null;
  readonly receivedUsd: bigint | null;
  readonly success: boolean;
}

const anyUsd = () => faker.helpers.arrayElement([null, faker.number.bigInt({ min: 0n, max: 10n ** 16n })]);

/** Operations as they are: with and without a policy, with no call, one or several, of every cost, with prices or not. */
const operations = (): Landed[] =>
  faker.helpers.multiple(
    () => ({
      policy: faker.helpers.arrayElement([null, 'p1', 'p2']),
      key: faker.helpers.arrayElement([null, 'k1', 'k2']),
      token: faker.helpers.arrayElement([null, 't1', 't2']),
      contracts: faker.helpers.arrayElements(['c1', 'c2', 'c3'], { min: 0, max: 3 }),
      sender: faker.helpers.arrayElement(['s1', 's2', 's3']),
      mode: faker.helpers.arrayElement(['sponsored', 'token'] as const),
      costWei: faker.number.bigInt({ min: 0n, max: 10n ** 18n }),
      ...{ spentUsd: anyUsd(), receivedUsd: anyUsd() },
      success: faker.datatype.boolean(),
    }),
    { count: { min: 0, max: 30 } },
  );

const usdText = (all: readonly (bigint | null)[]) => formatUnits(sumUsd(all), 12);
const sumUsd = (all: readonly (bigint | null)[]) => all.reduce<bigint>((sum, usd) => sum + (usd ?? 0n), 0n);

/** As the dashboard splits them: each operation counts for every key that it has. */
function split(all: readonly Landed[], keysOf: (operation: Landed) => readonly string[]) {
  return [...new Set(all.flatMap(keysOf))].map((key) => {
    const mine = all.filter((operation) => keysOf(operation).includes(key));
    const [spent, received] = [mine.map(({ spentUsd }) => spentUsd), mine.map((each) => each.receivedUsd)];
    return {
      ...{ key, granted: mine.length, settled: mine.length, reverted: mine.filter(({ success }) => !success).length },
      spentWei: mine.reduce((sum, { costWei }) => sum + costWei, 0n).toString(),
      ...{ spentUsd: usdText(spent), unpriced: spent.filter((usd) => usd === null).length },
      ...{ receivedUsd: usdText(received), unrecorded: received.filter((usd) => usd === null).length },
    };
  });
}

it.each<[string, (operation: Landed) => readonly string[]]>([
  ['policy', ({ policy }) => (policy === null ? [] : [policy])],
  ['contract', ({ contracts }) => contracts],
  ['sender', ({ sender }) => [sender]],
  ['key', ({ key }) => (key === null ? [] : [key])],
  ['token', ({ token }) => (token === null ? [] : [token])],
])('the parts by %s and their rest add up to the whole, in every column', (_, keysOf) => {
  for (let turn = 0; turn < TURNS; turn++) {
    const all = operations();
    const parts = split(all, keysOf);
    const whole = sumOf(split(all, ({ mode }) => [mode]));
    const rest = restOf(parts, whole);
    const rows = [sumOf(parts), ...(rest ? [rest] : [])];
    const total = (read: (row: (typeof rows)[number]) => bigint | number) =>
      rows.reduce((sum, row) => sum + BigInt(read(row)), 0n);
    expect(total(({ granted }) => granted)).toBe(BigInt(all.length));
    expect(total(({ settled }) => settled)).toBe(BigInt(whole.settled));
    expect(total(({ reverted }) => reverted)).toBe(BigInt(whole.reverted));
    expect(total(({ spentWei }) => spentWei)).toBe(all.reduce((sum, { costWei }) => sum + costWei, 0n));
    const gross = sumUsd(all.map(({ spentUsd }) => spentUsd));
    const received = sumUsd(all.map(({ receivedUsd }) => receivedUsd));
    expect(total(({ spentUsd }) => parseUnits(spentUsd, 12))).toBe(gross);
    expect(total(({ receivedUsd }) => parseUnits(receivedUsd, 12))).toBe(received);
    expect(total(({ netUsd }) => parseUnits(netUsd, 12))).toBe(gross - received);
    expect(total(({ unpriced }) => unpriced)).toBe(BigInt(whole.unpriced));
    expect(total(({ unrecorded }) => unrecorded)).toBe(BigInt(whole.unrecorded));
  }
});

it('leaves no rest where each operation is in one part', () => {
  const all = operations();
  expect(
    restOf(
      split(all, ({ sender }) => [sender]),
      sumOf(split(all, ({ mode }) => [mode])),
    ),
  ).toBeUndefined();
});

it('names what has no policy', () => {
  expect(restName('policy', [])).toBe('Without a policy');
  expect(restName('policy', Array(100).fill(0))).toBe('Without a policy, or of other policies');
  expect(restName('key', [])).toBe('By the main key, or not recorded');
  expect(restName('token', [])).toBe('Paid in no token, or not recorded');
});
