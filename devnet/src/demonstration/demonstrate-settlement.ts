import { DashboardClient, type ListedOperation } from '../stack/dashboard-client';
import type { Stack } from '../stack/stack-file';
import { ether } from './amounts';
import { mustHold, type Claim } from './claims';
import type { Demonstrated } from './demonstrated';
import { until } from './until';

/** Final is two blocks on; the rest is for a busy machine. */
const SETTLED_MS = 180_000;

/**
 * The bill: what each operation that landed was expected to cost at most, and what the books say it cost.
 *
 * @param print takes the lines for the terminal
 * @throws {DemonstrationError} unless every operation is settled with exactly what the chain charged
 */
export async function demonstrateSettlement(
  stack: Stack,
  { landedOnes, print }: { landedOnes: readonly Demonstrated[]; print: (line: string) => void },
): Promise<void> {
  const dashboard = new DashboardClient(stack.dashboard, stack.authToken);
  const row = (...cells: readonly string[]) =>
    print(`  ${cells.map((text, column) => text.padEnd(column === 0 ? 34 : 26)).join('')}`.trimEnd());
  print('');
  print('Settled costs (GET /operation of the dashboard, once their blocks are final)');
  row('operation', 'expected at most', 'charged by the books', 'charged by the chain');
  const claims: Claim[] = [];
  for (const operation of landedOnes) {
    const settled = await settledOperation(dashboard, operation);
    const { expectedCostWei, actualCostWei } = settled ?? {};
    row(operation.title, shown(expectedCostWei), shown(actualCostWei), ether(operation.chargedWei));
    claims.push(...claimsOf(operation, settled));
  }
  mustHold(claims);
}

function settledOperation(
  dashboard: DashboardClient,
  { apiKey, userOpHash }: Demonstrated,
): Promise<ListedOperation | undefined> {
  return until(SETTLED_MS, async () => {
    const { operations } = await dashboard.call('get', '/operation', { apiKey, query: { userOpHash } });
    return operations.find(({ state }) => state === 'settled');
  });
}

function claimsOf(operation: Demonstrated, settled: ListedOperation | undefined): Claim[] {
  const { title, chargedWei, actualGasCostWei, transactionHash } = operation;
  if (!settled) return [[`${title}: it is settled`, false]];
  const { actualCostWei, gasCostWei, expectedCostWei } = settled;
  return [
    [`${title}: the books charged what the chain did`, actualCostWei === `${chargedWei}`],
    [`${title}: the gas cost is the EntryPoint's`, gasCostWei === `${actualGasCostWei}`],
    [`${title}: it cost no more than expected`, BigInt(expectedCostWei ?? 0) >= chargedWei],
    [`${title}: the transaction is the one that landed it`, settled.transactionHash === transactionHash],
  ];
}

function shown(wei: string | null | undefined): string {
  return wei ? ether(BigInt(wei)) : 'not settled';
}
