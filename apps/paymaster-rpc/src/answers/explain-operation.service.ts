import { Inject, Injectable } from '@nestjs/common';
import { FundingWalletError, SponsorshipRefusedError, type AccountGasLimits, type TraceLine } from '@paymaster/domain';
import type { Ledger } from '@paymaster/ledger';
import { LEDGER } from '../chains/ledger.token';
import { clientAskOf } from '../hold/client-ask';
import { operationKey, paymasterOperation } from '../hold/operation-key';
import { Reservations } from '../hold/reservations.service';
import { tryPolicies } from '../decide/verdict/try-policies';
import { pickLimits } from '../decide/limits/gas-limits';
import {
  JudgeOperation,
  type Judgement,
  type Progress,
  type SponsorRequest,
} from '../decide/verdict/judge-operation.service';
import { assertRoom, lookAtBudgets, type BudgetLook } from '../decide/facts/look-at-budgets';
import { withWhereToDeposit } from '../decide/verdict/where-to-deposit';

/** Why an operation would be refused. */
export interface ExplainedRefusal {
  readonly reason: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** What the gateway would answer to a request for sponsorship, and why. */
export interface Explanation {
  /** Undefined when it would be sponsored. */
  readonly refusal: ExplainedRefusal | undefined;
  /** The policy that would sponsor it; null where no policy would, or where the paymaster needs no policy. */
  readonly policyId: string | null;
  /** Every rule that was checked, in order. */
  readonly trace: readonly TraceLine[];
  /** The most it can cost, once that is known; wei. */
  readonly prechargeWei: bigint | null;
  /** The limits that would be signed, once they are known. */
  readonly limits: AccountGasLimits | null;
  /** The budgets that would hold a part of it. */
  readonly budgets: readonly BudgetLook[];
}

/**
 * Runs through a request for sponsorship without any effect: it reads budgets and holds nothing, does not ask the
 * owner's webhook, and neither signs nor records.
 */
@Injectable()
export class ExplainOperation {
  constructor(
    private readonly judgeOperation: JudgeOperation,
    private readonly reservations: Reservations,
    @Inject(LEDGER) private readonly ledger: Pick<Ledger, 'peek' | 'assertNetworkLeaves'>,
  ) {}

  /** @throws what {@link JudgeOperation.judge} throws, except refusals: these are explained */
  async explain(request: SponsorRequest): Promise<Explanation> {
    const progress: Progress = {};
    const looked: { budgets: readonly BudgetLook[]; limits?: AccountGasLimits } = { budgets: [] };
    try {
      const judgement = await this.judgeOperation.judge(request, progress);
      looked.limits = pickLimits(judgement.operation);
      const turn = await this.chooseWithoutHolding(request, judgement, looked);
      return explanationOf({ ...looked, ...turn, progress, refusal: undefined });
    } catch (thrown) {
      const error = await withWhereToDeposit(thrown, request);
      if (!(error instanceof SponsorshipRefusedError || error instanceof FundingWalletError)) throw error;
      const trace = error instanceof SponsorshipRefusedError ? error.trace : (progress.trace ?? []);
      return explanationOf({ ...looked, policyId: null, trace, progress, refusal: error });
    }
  }

  /**
   * Checks that wallet, budgets and the bounds on clients have room for an operation, and holds nothing.
   *
   * @throws what {@link Reservations.hold} throws where they have none
   */
  async assertRoom(request: SponsorRequest, judgement: Judgement): Promise<void> {
    await this.chooseWithoutHolding(request, judgement, { budgets: [] });
  }

  /** The first policy whose budgets have room at the moment. */
  private async chooseWithoutHolding(
    request: SponsorRequest,
    { operation: judged, terms, prechargeWei, asked, verdict }: Judgement,
    looked: { budgets: readonly BudgetLook[] },
  ): Promise<{ policyId: string | null; trace: readonly TraceLine[] }> {
    const { caller, operation } = request;
    const { deadlineMs } = caller;
    const key = operationKey(request, terms);
    const cost = { paymaster: terms.paymaster, wallet: terms.fundingWallet, neededWei: prechargeWei };
    const { funding, head } = caller.chain;
    const { expectedWei } = asked;
    await funding.assertCovers({
      ...cost,
      expectedWei,
      entryPoint: terms.entryPoint,
      operation: paymasterOperation(request),
      isExplained: true,
      deadlineMs,
    });
    const { maxFeePerGas } = judged;
    await funding.assertLeavesHalf({ ...cost, maxFeePerGas, brakeReleasedAtMs: key.brakeReleasedAtMs });
    const client = clientAskOf(caller, asked);
    if (client) {
      const headTimeSeconds = head.latest().timestampSeconds;
      await this.ledger.assertNetworkLeaves({ ...key, client, prechargeWei, expectedWei, headTimeSeconds });
    }
    return tryPolicies({ caller, verdict }, async ({ policyId, claims, trace }) => {
      const all = this.reservations.claimsOf({ caller, sender: operation.sender, prechargeWei, rules: claims });
      looked.budgets = await lookAtBudgets(this.ledger, { claims: all, operation: key, deadlineMs });
      assertRoom(looked.budgets);
      return { policyId, trace };
    });
  }
}

function explanationOf(found: {
  refusal: ExplainedRefusal | undefined;
  policyId: string | null;
  trace: readonly TraceLine[];
  progress: Progress;
  limits?: AccountGasLimits;
  budgets: readonly BudgetLook[];
}): Explanation {
  const { refusal, policyId, trace, progress, limits = null, budgets } = found;
  return { refusal, policyId, trace, prechargeWei: progress.prechargeWei ?? null, limits, budgets };
}
