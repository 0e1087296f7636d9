import { DomainError } from '@paymaster/domain';
import type { Tally, TallyCounter, Timing, TimingHistogram } from '@paymaster/nest-kit';
import { ERROR_TABLE, type ErrorRow } from '../platform/errors/error-table';
import { REASONS } from '../platform/errors/reasons';

/** How an operation's gas is paid, if the request contains an operation and says so. */
export type RequestMode = 'none' | 'sponsored' | 'token';

/** The outcome of a request that was answered with a result. */
export type Answered = 'granted' | 'quoted' | 'answered' | 'userPays';

type Outcome = 'granted' | 'quoted' | 'answered' | 'refused' | 'invalid' | 'failed';

/** A result without a signature: the policy said no, and its owner wants the user to pay. */
export const USER_PAYS = 'USER_PAYS';
/** The label for an error without a row in `REASONS`; no such error should exist. */
const OTHER = 'OTHER';
/** True: the request was wrong. False: the request was understood and refused. */
const INVALID: ReadonlySet<ErrorRow['code']> = new Set([
  ...[ERROR_TABLE.parse.code, ERROR_TABLE.request.code, ERROR_TABLE.method.code],
  ...[ERROR_TABLE.params.code, ERROR_TABLE.apiKey.code],
]);
const FAILED: ReadonlySet<ErrorRow['code']> = new Set([ERROR_TABLE.unavailable.code, ERROR_TABLE.internal.code]);

/** What an error of this code says of its request. */
export function outcomeOf(code: ErrorRow['code']): 'refused' | 'invalid' | 'failed' {
  return FAILED.has(code) ? 'failed' : INVALID.has(code) ? 'invalid' : 'refused';
}

/**
 * Counts the requests of one method and mode. It looks up each tally once. So a request costs one addition and a search
 * through the histogram's bounds, without labels and closures.
 */
export class RequestMeter {
  private readonly answered: Partial<Record<Answered, Tally>> = {};
  private readonly failures = new Map<string, Tally>();
  private readonly timing: Timing;

  constructor(
    private readonly requests: TallyCounter,
    seconds: TimingHistogram,
    private readonly labels: { readonly method: string; readonly mode: RequestMode },
  ) {
    this.timing = seconds.timing(labels);
  }

  /** @param startedMs of `performance.now()` */
  succeeded(answered: Answered, startedMs: number): void {
    const tally = (this.answered[answered] ??= this.answer(answered));
    tally.value++;
    this.timing.observe((performance.now() - startedMs) / 1_000);
  }

  /** @param startedMs of `performance.now()` */
  failed(error: unknown, startedMs: number): void {
    this.refused(error);
    this.timing.observe((performance.now() - startedMs) / 1_000);
  }

  /** Counts a request that was refused before its time was measured. */
  refused(error: unknown): void {
    const reason = error instanceof DomainError ? error.reason : 'INTERNAL_ERROR';
    const tally = this.failures.get(reason) ?? this.failure(reason);
    tally.value++;
  }

  private answer(answered: Answered): Tally {
    return answered === 'userPays' ? this.tally('refused', USER_PAYS) : this.tally(answered);
  }

  private failure(reason: string): Tally {
    const row = REASONS[reason]?.row;
    // Only listed reasons become labels, even if an error has another text as its reason.
    if (!row) return this.failures.get(OTHER) ?? this.keep(OTHER, this.tally('failed', OTHER));
    return this.keep(reason, this.tally(outcomeOf(row.code), reason));
  }

  private keep(reason: string, tally: Tally): Tally {
    this.failures.set(reason, tally);
    return tally;
  }

  private tally(outcome: Outcome, reason = 'none'): Tally {
    return this.requests.tally({ ...this.labels, outcome, reason });
  }
}
