import type { AccountGasLimits } from '@paymaster/domain';
import { withAssumedFees, type Fees } from '../terms/assumed-fees';
import { estimatedGasLimits, pickLimits } from './gas-limits';
import type { SponsorData } from '../terms/sponsor-data';
import type { SponsorTerms } from '../terms/sponsor-terms';
import type { PolicyQuestion } from '../rules/sponsorship-policy';

/** What a stub's client gets. */
export interface Stub {
  readonly data: SponsorData;
  /** The gas limits that the client has not set; none where they could not be measured in time. */
  readonly limits: Partial<AccountGasLimits>;
}

/** A request for a stub. */
export interface MeasuredQuestion extends PolicyQuestion {
  /**
   * The fees that the client sent, if an operation can have them. A stub judges no fees, but on a rollup
   * `preVerificationGas` depends on them.
   */
  readonly sentFees?: Fees | undefined;
}

/** The longest that a stub waits for a turn and its limits; milliseconds. */
const LONGEST_MS = 1_500;
/** What is left to answer the client within its deadline; milliseconds. */
const ANSWER_MS = 250;

/**
 * Measures the limits that the client has not set, so that it need not ask a bundler. A limit that it has set is not
 * among them, because clients copy every field of the answer into their operation.
 *
 * @param terms of sponsorship, also for an operation that is paid in a token
 * @param raise adds the gas of token mode
 * @returns none where the operation fails in simulation, or turns are taken, or nodes or bundler don't answer in time:
 *   the stub is answered all the same, and the client asks its bundler, which says why
 */
export async function unsetLimits(
  { caller, operation, account, sentFees }: MeasuredQuestion,
  terms: SponsorTerms,
  raise?: (limits: AccountGasLimits) => AccountGasLimits,
): Promise<Partial<AccountGasLimits>> {
  const unset = Object.entries(pickLimits(operation)).filter(([, limit]) => limit === 0n);
  if (unset.length === 0) return {};
  const priced = sentFees ? { ...operation, ...sentFees } : withAssumedFees(operation, caller);
  const deadlineMs = Math.min(caller.deadlineMs - ANSWER_MS, performance.now() + LONGEST_MS);
  const estimating = estimatedGasLimits({
    ...{ caller: { ...caller, deadlineMs }, operation: priced, account, terms },
    isPaidInToken: raise !== undefined,
  });
  try {
    const estimated = await caller.span.call('estimate').until(estimating);
    const limits = raise ? raise(estimated) : estimated;
    return Object.fromEntries(unset.map(([name]) => [name, limits[name as keyof AccountGasLimits]]));
  } catch {
    return {};
  }
}
