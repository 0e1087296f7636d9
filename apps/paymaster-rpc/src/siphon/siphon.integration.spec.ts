import { ENTRY_POINT_VERSIONS } from '@paymaster/domain';
import { describeFound, MOST_RETURNED, searchEverywhere } from './search';

/** Plans per EntryPoint version and base fee; `npm run siphon` tries many more. */
const PLANS = 12;

it('brings an attacker who bundles for himself hardly more than his transactions cost', async () => {
  const found = await searchEverywhere({ plans: PLANS, seed: 1 });
  const kinds = ENTRY_POINT_VERSIONS.length * 4;
  expect(found.one).toHaveLength(kinds);
  for (const each of found.one) {
    // The whole plan is in the message of a failure.
    expect(`${each.haul.multiple <= MOST_RETURNED.one} ${describeFound(each)}`).toMatch(/^true/);
  }
  for (const each of found.many) {
    expect(`${each.haul.multiple <= MOST_RETURNED.many} ${describeFound(each)}`).toMatch(/^true/);
  }
});
