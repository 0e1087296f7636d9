import { Inject, Injectable } from '@nestjs/common';
import { FundingWalletError, SponsorshipRefusedError } from '@paymaster/domain';
import type { Ledger } from '@paymaster/ledger';
import { LEDGER } from '../../chains/ledger.token';
import type { Progress } from './judge-operation.service';
import { callsOf, type PolicyQuestion } from '../rules/sponsorship-policy';
import { sayingWhereToDeposit } from './where-to-deposit';
import { refusedEvent } from '../../hold/operation-events';

/** An operation that is being decided, with what is known of it so far. */
export interface Attempt extends PolicyQuestion, Progress {
  readonly mode: 'sponsored' | 'token';
}

/** Records, for the owner, the operations that the policy or the funding wallet refused. It records no other errors. */
@Injectable()
export class Refusals {
  constructor(@Inject(LEDGER) private readonly ledger: Pick<Ledger, 'recordRefusal'>) {}

  /** Runs the decision, and records a refusal in the background. Throws every error on. */
  async watch<T>(attempt: Attempt, decide: () => Promise<T>): Promise<T> {
    try {
      return await sayingWhereToDeposit(attempt, decide());
    } catch (error) {
      if (error instanceof SponsorshipRefusedError || error instanceof FundingWalletError) this.record(attempt, error);
      throw error;
    }
  }

  private record(attempt: Attempt, error: SponsorshipRefusedError | FundingWalletError): void {
    const { reason, message, details } = error;
    const trace = error instanceof SponsorshipRefusedError ? error.trace : (attempt.trace ?? []);
    const prechargeWei = attempt.prechargeWei ?? null;
    const decoded = callsOf(attempt);
    this.ledger.recordRefusal(refusedEvent({ ...attempt, decoded, reason, message, details, trace, prechargeWei }));
  }
}
