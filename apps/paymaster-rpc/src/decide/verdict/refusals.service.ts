import { Inject, Injectable } from '@nestjs/common';
import { RefusalError } from '@paymaster/domain';
import type { Ledger } from '@paymaster/ledger';
import { LEDGER } from '../../chains/open-gateway-ledger';
import { callsOf, type PolicyQuestion } from '../rules/sponsorship-policy';
import { withWhereToDeposit } from './where-to-deposit';
import { refusedEvent, type RefusedOperation } from '../../hold/operation-events';

/** Records, for the owner, the operations that the policy or the funding wallet refused. It records no other errors. */
@Injectable()
export class Refusals {
  constructor(@Inject(LEDGER) private readonly ledger: Pick<Ledger, 'recordRefusal'>) {}

  /** Runs the decision, and records a refusal in the background. Throws each error again; one about a wallet says where to deposit. */
  async watch<T>(
    question: PolicyQuestion & Pick<RefusedOperation, 'mode' | 'token'>,
    decide: () => Promise<T>,
  ): Promise<T> {
    try {
      return await decide();
    } catch (thrown) {
      const error = await withWhereToDeposit(thrown, question);
      if (error instanceof RefusalError) {
        const { caller, operation, mode, token } = question;
        const refused = { caller, operation, mode, token, decoded: callsOf(question) };
        this.ledger.recordRefusal(refusedEvent(refused, error));
      }
      throw error;
    }
  }
}
