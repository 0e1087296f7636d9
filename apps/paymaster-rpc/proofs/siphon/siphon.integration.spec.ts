import { ENTRY_POINT_VERSIONS } from '@paymaster/domain';
import { describeFound, searchEverywhere, searchRollup, SOME_MARKETS } from './search';
import { ROLLUPS } from './siphon-l1';

/** Plans per EntryPoint version and base fee; `npm run siphon` tries many more. */
const PLANS = 12;
const PLANS_ON_ROLLUPS = 5;

jest.setTimeout(900_000);

it('brings an attacker who bundles for himself nothing that is not counted against his network', async () => {
  const { found } = await searchEverywhere({ plans: PLANS, seed: 1, markets: SOME_MARKETS });
  expect(found.filter(({ kind }) => kind === 'one')).toHaveLength(ENTRY_POINT_VERSIONS.length * SOME_MARKETS.length);
  for (const each of found) {
    // The message of a failure contains the whole plan.
    expect(`${each.multiple <= each.most} ${describeFound(each)}`).toMatch(/^true/);
  }
});

it.each(ROLLUPS)(
  'brings him nothing that is not counted on %s, also while the price of L1 data rises',
  async (rollup) => {
    const { found } = await searchRollup(rollup, { plans: PLANS_ON_ROLLUPS, seed: 1 });
    // Each version at two base fees, and once while fees rise.
    expect(found).toHaveLength(2 * ENTRY_POINT_VERSIONS.length + 1);
    for (const each of found) expect(`${each.multiple <= each.most} ${describeFound(each)}`).toMatch(/^true/);
  },
);
