import { runwayHours } from './wallet-report';

describe('runwayHours', () => {
  it.each([
    [240n, 240n, 24],
    [239n, 240n, 23],
    [0n, 1n, 0],
    [10n ** 30n, 1n, Number.MAX_SAFE_INTEGER],
  ])('%d wei at %d a day last %d hours', (spendable, perDay, hours) => {
    expect(runwayHours(spendable, perDay)).toBe(hours);
  });

  it('is nothing that can be said when nothing was spent', () => expect(runwayHours(5n, 0n)).toBeNull());
});
