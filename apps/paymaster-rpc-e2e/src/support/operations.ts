import type { Stack } from '@paymaster/devnet';
import { dashboardOk } from './dashboard-client';
import { eventually, PATIENCE_MS } from './eventually';
import type { FreshPaymaster } from './fresh-paymaster';

/** An operation as owners see it, as far as specs look. */
export interface OwnersOperation {
  readonly id: string;
  readonly state: string;
  readonly sender: string;
  readonly grants: number;
  readonly policyId: string | null;
  readonly reason: string | null;
  readonly trace: readonly { readonly rule: string; readonly outcome: string }[] | null;
  readonly expectedCostWei: string | null;
  readonly actualCostWei: string | null;
  readonly gasCostWei: string | null;
  readonly success: boolean | null;
  readonly userOpHash: string | null;
  readonly transactionHash: string | null;
  readonly voidReason: string | null;
}

export interface UsagePoint {
  readonly granted: number;
  readonly refused: number;
  readonly settled: number;
  readonly reverted: number;
  readonly voided: number;
  readonly spentWei: string;
}

/** `GET /operation`, newest first. */
export async function operationsOf(
  stack: Stack,
  { apiKey }: FreshPaymaster,
  filter: Record<string, string> = {},
): Promise<readonly OwnersOperation[]> {
  const path = `/operation?${new URLSearchParams(filter).toString()}`;
  return (await dashboardOk<{ operations: OwnersOperation[] }>(stack, { method: 'GET', path, apiKey })).operations;
}

/** The only operation of a sender, once it is in this state. */
export async function operationIn(
  stack: Stack,
  paymaster: FreshPaymaster,
  { state, sender, withinMs = PATIENCE_MS }: { state: string; sender: string; withinMs?: number },
): Promise<OwnersOperation> {
  return eventually(withinMs, async () => {
    const found = await operationsOf(stack, paymaster, { sender });
    expect(found.map((operation) => operation.state)).toEqual([state]);
    return found[0] as OwnersOperation;
  });
}

/** `GET /usage`, added up. */
export async function usageOf(stack: Stack, { apiKey }: FreshPaymaster): Promise<UsagePoint> {
  const points = await dashboardOk<UsagePoint[]>(stack, { method: 'GET', path: '/usage', apiKey });
  const sum = (name: Exclude<keyof UsagePoint, 'spentWei'>): number =>
    points.reduce((total, point) => total + point[name], 0);
  const spentWei = points.reduce((total, point) => total + BigInt(point.spentWei), 0n);
  return {
    ...{ granted: sum('granted'), refused: sum('refused'), settled: sum('settled') },
    ...{ reverted: sum('reverted'), voided: sum('voided'), spentWei: `${spentWei}` },
  };
}
