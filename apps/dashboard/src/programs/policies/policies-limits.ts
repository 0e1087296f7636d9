import {
  MAX_POLICIES_BYTES,
  MAX_SNAPSHOT_SHARED_POLICIES,
  policiesBytes,
  readPolicies,
  toPolicyMessage,
} from '@paymaster/messaging';
import type { DashboardConfig } from '../../platform/config/dashboard.config';
import { LimitReachedError } from '../../platform/http/dashboard-errors';
import type { Policy } from './policy';
import { sharedToSponsorshipPolicy, type SharedPolicy } from './shared-policy';
import { toSponsorshipPolicy } from './to-sponsorship-policy';

export type PoliciesLimits = Pick<DashboardConfig, 'maxPoliciesPerPaymaster'>;

/**
 * What the policies of one paymaster may come to, with those that it shares: they travel in one message. Paused ones count, so that none is too
 * much when it is activated.
 *
 * @throws {LimitReachedError} naming the limit that is passed
 */
export function assertWithinPoliciesLimits(
  { policies, shared }: { readonly policies: readonly Policy[]; readonly shared: readonly SharedPolicy[] },
  limits: PoliciesLimits,
): void {
  const { maxPoliciesPerPaymaster: most } = limits;
  if (policies.length > most) throw new LimitReachedError(`A paymaster can have at most ${most} policies`);
  if (shared.length > MAX_SNAPSHOT_SHARED_POLICIES) {
    throw new LimitReachedError(`A paymaster can have at most ${MAX_SNAPSHOT_SHARED_POLICIES} shared policies`);
  }
  const messages = [...policies.map(toSponsorshipPolicy), ...shared.map(sharedToSponsorshipPolicy)].map(
    toPolicyMessage,
  );
  if (policiesBytes(messages) > MAX_POLICIES_BYTES) {
    throw new LimitReachedError(`policyData: all policies of a paymaster can have at most ${MAX_POLICIES_BYTES} bytes`);
  }
  // The gateway refuses a snapshot with one wrong policy, and then everything: such a one must never be stored.
  readPolicies(messages);
}
