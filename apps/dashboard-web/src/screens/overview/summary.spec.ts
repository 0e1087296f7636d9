import { concernsOf, shortestRunway, sumsOf, type Facts } from './summary';

const account = {
  entryPointVersion: '0.7',
  contract: `0x${'9a'.repeat(20)}`,
  balanceWei: '1000',
  requestedWei: '0',
  withdrawableAt: null,
  spendableWei: '1000',
  spentPerDayWei: '10',
  runwayHours: 2_400,
  stoppedAt: null,
};
const point = {
  start: '2026-11-26T00:00:00.000Z',
  granted: 10,
  refused: 0,
  settled: 10,
  reverted: 0,
  voided: 0,
  ...{ spentWei: '5', spentUsd: '0.1', unpriced: 0, receivedUsd: '0', unrecorded: 0, netUsd: '0.1' },
};
const fine: Facts = {
  report: { chainId: 1, fundingWallet: `0x${'ab'.repeat(20)}`, accounts: [account], nearNetworks: [] },
  contracts: [{}],
  settings: { sponsorAnyContract: false, sponsorNativeTransfers: false },
  policies: [{ active: true, policyType: 'RULES', policyData: { limits: [{}] } as never }],
  usage: [point],
};
const withAccount = (change: Partial<typeof account> | { stoppedAt: string }): Facts => ({
  ...fine,
  report: { ...fine.report, accounts: [{ ...account, ...change } as never] },
});

describe('concernsOf', () => {
  it('has none where all is well', () => {
    expect(concernsOf(fine)).toEqual([]);
  });

  it.each<[string, Facts, string[]]>([
    ['no wallet', { ...fine, report: { ...fine.report, fundingWallet: null } }, ['noWallet']],
    ['an empty deposit', withAccount({ spendableWei: '0', runwayHours: 0 }), ['empty']],
    ['a low deposit', withAccount({ runwayHours: 47 }), ['low']],
    ['the brake', withAccount({ stoppedAt: '2026-11-26T00:00:00.000Z' }), ['brake']],
    ['no contract', { ...fine, contracts: [] }, ['noContract']],
    [
      'a paymaster that sponsors everything',
      { ...fine, contracts: [], settings: { sponsorAnyContract: true, sponsorNativeTransfers: false } },
      ['open'],
    ],
    [
      'transfers of coin that are sponsored',
      { ...fine, settings: { sponsorAnyContract: false, sponsorNativeTransfers: true } },
      ['open'],
    ],
    ['no policy', { ...fine, policies: [] }, ['noLimit']],
    [
      'a limit that is paused',
      { ...fine, policies: [{ active: false, policyType: 'RULES', policyData: { limits: [{}] } as never }] },
      ['noLimit'],
    ],
    [
      'a policy without a limit',
      { ...fine, policies: [{ active: true, policyType: 'RULES', policyData: { limits: [] } as never }] },
      ['noLimit'],
    ],
    [
      'limits of single operations',
      {
        ...fine,
        policies: [{ active: true, policyType: 'RULES', policyData: { limits: [{ scope: 'OPERATION' }] } as never }],
      },
      ['noLimit'],
    ],
    ['a fifth that is refused', { ...fine, usage: [{ ...point, granted: 20, refused: 5 }] }, ['refused']],
    ['many reverts', { ...fine, usage: [{ ...point, reverted: 2 }] }, ['reverted']],
    ['many refusals', { ...fine, usage: [{ ...point, refused: 10 }] }, ['refused']],
  ])('names %s', (_, facts, ids) => {
    expect(concernsOf(facts).map(({ id }) => id)).toEqual(ids);
  });

  it.each<[string, Facts]>([
    ['contracts that are not known yet', { ...fine, contracts: undefined }],
    ['policies that are not known yet', { ...fine, policies: undefined }],
    ['one revert of few', { ...fine, usage: [{ ...point, settled: 4, reverted: 1 }] }],
  ])('does not name %s', (_, facts) => {
    expect(concernsOf(facts)).toEqual([]);
  });
});

it('shortestRunway is that of the deposit that runs out first', () => {
  const accounts = [account, { ...account, runwayHours: 5 }, { ...account, runwayHours: null }];
  expect(shortestRunway({ ...fine.report, accounts })).toBe(5);
  expect(shortestRunway({ ...fine.report, accounts: [{ ...account, runwayHours: null }] })).toBeNull();
});

it('sumsOf adds every point', () => {
  expect(sumsOf([point, { ...point, refused: 2 }])).toMatchObject({ granted: 20, settled: 20, refused: 2 });
});
