import { byProject } from './by-project';

const paymaster = (paymasterId: string, project: string | null) => ({
  ...{ paymasterId, project, name: paymasterId, chainId: 1, version: '2.0.0' as const, fundingWallet: null },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', archivedAt: null, suspension: null },
});
const usage = (paymasterId: string, spentUsd: string, settled: number) => ({
  ...{ paymasterId, spentWei: '1', spentUsd, unpriced: 0, receivedUsd: '0.25', unrecorded: 1, netUsd: '0' },
  ...{ granted: settled, refused: 2, settled, reverted: 0, voided: 0 },
});

it('puts paymasters of one project together, those without one last, and adds up their USD', () => {
  const paymasters = [paymaster('a', null), paymaster('b', 'Shop'), paymaster('c', 'Game'), paymaster('d', 'Shop')];
  const projects = byProject(paymasters, [usage('b', '1.5', 3), usage('d', '0.000000000001', 4), usage('a', '9', 1)]);
  expect(projects.map(({ name, paymasters: own }) => [name, own.map(({ paymasterId }) => paymasterId)])).toEqual([
    ['Game', ['c']],
    ['Shop', ['b', 'd']],
    [null, ['a']],
  ]);
  expect(projects[1]?.sum).toMatchObject({
    ...{ spentUsd: '1.500000000001', receivedUsd: '0.5', netUsd: '1.000000000001', unrecorded: 2 },
    ...{ settled: 7, refused: 4 },
  });
  expect(projects[0]?.sum).toMatchObject({ spentUsd: '0', settled: 0 });
  expect(projects[0]?.paymasters[0]?.usage).toBeUndefined();
});
