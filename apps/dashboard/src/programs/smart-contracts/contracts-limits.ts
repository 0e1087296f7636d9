import type { DashboardConfig } from '../../platform/config/dashboard.config';
import { LimitReachedError } from '../../platform/http/dashboard-errors';
import type { ContractsUsage } from './smart-contracts.repository';

export type ContractsLimits = Pick<
  DashboardConfig,
  'maxContractsPerPaymaster' | 'maxSelectorsPerPaymaster' | 'maxAbiBytesPerPaymaster'
>;

/**
 * What the contracts of one paymaster may come to: its policy has to fit into one message to the gateway, and its
 * list (operation 4) into memory.
 *
 * @throws {LimitReachedError} naming the first limit that is passed
 */
export function assertWithinLimits(usage: ContractsUsage, limits: ContractsLimits): void {
  const { maxSelectorsPerPaymaster, maxAbiBytesPerPaymaster } = limits;
  assertContractsWithin(usage.contracts, limits);
  if (usage.selectors > maxSelectorsPerPaymaster) {
    throw new LimitReachedError(
      `whitelistedMethods: a paymaster can whitelist at most ${maxSelectorsPerPaymaster} method selectors over all its smart contracts`,
    );
  }
  if (usage.abiBytes > maxAbiBytesPerPaymaster) {
    throw new LimitReachedError(
      `abi: a paymaster can have at most ${maxAbiBytesPerPaymaster} bytes of ABI over all its smart contracts`,
    );
  }
}

/** @throws {LimitReachedError} */
export function assertContractsWithin(contracts: number, limits: ContractsLimits): void {
  const { maxContractsPerPaymaster: most } = limits;
  if (contracts > most) throw new LimitReachedError(`A paymaster can have at most ${most} smart contracts`);
}
