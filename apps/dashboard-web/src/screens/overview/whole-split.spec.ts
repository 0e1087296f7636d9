import { faker } from '@faker-js/faker';
import { parseUnits } from 'viem';
import { restName, restOf, sumOf } from './whole-split';

const TURNS = 200;
const PRICE_MICRO_USD = 3_187_420_000n;

interface Landed {
  readonly policy: string | null;
  readonly contracts: readonly string[];
  readonly sender: string;
  readonly mode: 'sponsored' | 'token';
  readonly costWei: bigint;
  readonly success: boolean;
}

/** Operations as they are: with and without a policy, with no call, one or several, of every cost. */
const operations = (): Landed[] =>
  faker.helpers.multiple(
    () => ({
      policy: faker.helpers.arrayElement([null, 'p1', 'p2']),
      contracts: faker.helpers.arrayElements(['c1', 'c2', 'c3'], { min: 0, max: 3 }),
      sender: faker.helpers.arrayElement(['s1', 's2', 's3']),
      mode: faker.helpers.arrayElement(['sponsored', 'token'] as const),
      costWei: faker.number.bigInt({ min: 0n, max: 10n ** 18n }),
      success: faker.datatype.boolean(),
    }),
    { count: { min: 0, max: 30 } },
  );

/** As the dashboard splits them: each operation counts for every key that it has. */
function split(all: readonly Landed[], keysOf: (operation: Landed) => readonly string[]) {
  return [...new Set(all.flatMap(keysOf))].map((key) => {
    const mine = all.filter((operation) => keysOf(operation).includes(key));
    const spentWei = mine.reduce((sum, { costWei }) => sum + costWei, 0n);
    const micro = (spentWei * PRICE_MICRO_USD) / 10n ** 18n;
    return {
      ...{ key, granted: mine.length, settled: mine.length, reverted: mine.filter(({ success }) => !success).length },
      ...{
        spentWei: spentWei.toString(),
        spentUsd: `${micro / 1_000_000n}.${String(micro % 1_000_000n).padStart(6, '0')}`,
      },
    };
  });
}

it.each<[string, (operation: Landed) => readonly string[]]>([
  ['policy', ({ policy }) => (policy === null ? [] : [policy])],
  ['contract', ({ contracts }) => contracts],
  ['sender', ({ sender }) => [sender]],
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
    // Without a rest of coin, each row is cut off to a millionth of a USD.
    if (rest) expect(total(({ spentUsd }) => parseUnits(spentUsd ?? '', 6))).toBe(parseUnits(whole.spentUsd ?? '', 6));
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

it('knows no USD where one part has no price', () => {
  const part = { granted: 1, settled: 1, reverted: 0, spentWei: '5', spentUsd: null };
  expect(sumOf([part, { ...part, spentUsd: '1' }]).spentUsd).toBeNull();
  expect(restOf([part], { ...sumOf([part]), spentWei: 9n, spentUsd: '3' })?.spentUsd).toBeNull();
});

it('names what has no policy', () => {
  expect(restName('policy', [])).toBe('Without a policy');
  expect(restName('policy', Array(100).fill(0))).toBe('Without a policy, or of other policies');
});
