import { InvalidApiKeyError, SponsorshipRefusedError, type PolicySnapshot } from '@paymaster/domain';
import type { PolicySnapshots } from '../snapshots/policy-snapshots.service';
import type { Caller } from './caller';

/**
 * The operator of the installation has suspended the paymaster, so nothing is signed for it. Clients are told why, also
 * where the owner did not set `explainToClients`.
 */
export class PaymasterSuspendedError extends SponsorshipRefusedError {
  constructor(suspensionReason: string) {
    const message = `The operator of this service has suspended the paymaster: ${suspensionReason}`;
    super('PAYMASTER_SUSPENDED', message, [], { suspensionReason }, true);
  }
}

/** @throws {PaymasterSuspendedError} */
export function assertNotSuspended({ suspensionReason }: Pick<PolicySnapshot, 'suspensionReason'>): void {
  if (suspensionReason !== null) throw new PaymasterSuspendedError(suspensionReason);
}

/**
 * Call it when a signature is made, right before it leaves. If a change of the paymaster was announced while the
 * request was being decided, the dashboard is asked for the policy again. So a suspended or archived paymaster gives no
 * signature, however long the decision took.
 *
 * @returns undefined, without a promise, when no change was announced
 * @throws {PaymasterSuspendedError} by rejecting, as all others
 * @throws {InvalidApiKeyError} when the key has ended
 * @throws {DependencyUnavailableError} `dashboard`, when the dashboard does not say what changed
 */
export function assertStillServed(
  { paymaster, policyQuestion }: Pick<Caller, 'paymaster' | 'policyQuestion'>,
  snapshots: Pick<PolicySnapshots, 'isOutdated' | 'resolve'>,
): Promise<void> | undefined {
  return snapshots.isOutdated(paymaster.snapshot) ? assertServes(snapshots.resolve(policyQuestion)) : undefined;
}

async function assertServes(resolved: ReturnType<PolicySnapshots['resolve']>): Promise<void> {
  const paymaster = await resolved;
  if (!paymaster) throw new InvalidApiKeyError('The API key has ended.');
  assertNotSuspended(paymaster.snapshot);
}
