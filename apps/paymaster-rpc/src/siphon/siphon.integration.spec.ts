import { ENTRY_POINT_VERSIONS } from '@paymaster/domain';
import { describeFound, searchEverywhere } from './search';

/** Plans per EntryPoint version and base fee; `npm run siphon` tries many more. */
const PLANS = 24;

it('brings an attacker who bundles for himself hardly more than his transactions cost', async () => {
  const { found } = await searchEverywhere({ plans: PLANS, seed: 1 });
  expect(found.filter(({ kind }) => kind === 'one')).toHaveLength(ENTRY_POINT_VERSIONS.length * 4);
  for (const each of found) {
    // The whole plan is in the message of a failure.
    expect(`${each.multiple <= each.most} ${describeFound(each)}`).toMatch(/^true/);
  }
});
