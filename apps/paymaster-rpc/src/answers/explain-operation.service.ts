import { Inject, Injectable } from '@nestjs/common';
import { max, RefusalError, refusedAfter, type AccountGasLimits, type TraceLine } from '@paymaster/domain';
import { isSettlementLate, type BudgetClaim, type Ledger, type OperationKey } from '@paymaster/ledger';
import { LEDGER } from '../chains/open-gateway-ledger';
import type { Caller } from '../callers/caller';
import { clientAskOf } from '../hold/client-ask';
import { isPlaceOf } from '../hold/live-claims';
import { neededOf, operationKey } from '../hold/operation-key';
import { Reservations } from '../hold/reservations.service';
import { tryPolicies } from '../decide/verdict/try-policies';
import { pickLimits } from '../decide/limits/gas-limits';
import { JudgeOperation, type Judgement, type SponsorRequest } from '../decide/verdict/judge-operation.service';
import { assertRoom, fullBudget, lookAtBudgets, type BudgetLook } from '../decide/facts/look-at-budgets';
import { withWhereToDeposit } from '../decide/verdict/where-to-deposit';

/** Why an operation would be refused. */
export type ExplainedRefusal = Pick<RefusalError, 'reason' | 'message' | 'details'>;

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
    @Inject(LEDGER) private readonly ledger: Pick<Ledger, 'peek' | 'cursor' | 'assertNetworkLeaves'>,
  ) {}

  /** @throws what {@link JudgeOperation.judge} throws, except refusals: these are explained */
  async explain(request: SponsorRequest): Promise<Explanation> {
    const looks: (readonly BudgetLook[])[] = [];
    let limits: AccountGasLimits | null = null;
    try {
      const judgement = await this.judgeOperation.judge(request);
      limits = pickLimits(judgement.limits.operation);
      const { policyId, trace } = await this.findRoom(request, judgement, looks);
      const { prechargeWei } = judgement.cost;
      return { refusal: undefined, policyId, trace, prechargeWei, limits, budgets: looks.at(-1) ?? [] };
    } catch (thrown) {
      const error = await withWhereToDeposit(thrown, request);
      if (!(error instanceof RefusalError)) throw error;
      const { trace, prechargeWei } = error;
      return { refusal: error, policyId: null, trace, prechargeWei, limits, budgets: looks.at(-1) ?? [] };
    }
  }

  /**
   * Finds the first policy whose budgets have room at the moment, where wallet and the bounds on clients have room too.
   * Holds nothing.
   *
   * @param looks gets what was seen of the budgets of each policy that was tried, also when it has no room
   * @throws what {@link Reservations.hold} throws where there is no room
   */
  async findRoom(
    request: SponsorRequest,
    { limits, cost: { prechargeWei, asked }, claims: verdict }: Judgement,
    looks: (readonly BudgetLook[])[] = [],
  ): Promise<{ policyId: string | null; trace: readonly TraceLine[] }> {
    const { caller, operation } = request;
    const { deadlineMs } = caller;
    const { terms } = limits;
    const key = operationKey(request, terms);
    const needed = neededOf(request, terms, prechargeWei);
    const { funding, head } = caller.chain;
    const { expectedWei } = asked;
    try {
      await funding.assertCovers({ ...needed, expectedWei, isExplained: true });
      const { maxFeePerGas } = limits.operation;
      await funding.assertLeavesHalf({ ...needed, maxFeePerGas, brakeReleasedAtMs: key.brakeReleasedAtMs });
      const client = clientAskOf(caller, asked);
      if (client) {
        const headTimeSeconds = head.latest().timestampSeconds;
        await this.ledger.assertNetworkLeaves({ ...key, client, prechargeWei, expectedWei, headTimeSeconds });
      }
      return await tryPolicies({ caller, verdict }, async ({ policyId, claims, trace }) => {
        const all = this.reservations.claimsOf({ caller, sender: operation.sender, prechargeWei, rules: claims });
        const seen = await lookAtBudgets(this.ledger, { claims: all, operation: key, deadlineMs });
        const lifted = await this.withoutLifted(seen, key, caller);
        const budgets = await this.withoutLanded(lifted, { ...key, entryPoint: terms.entryPoint }, caller);
        looks.push(budgets);
        assertRoom(budgets);
        return { policyId, trace };
      });
    } catch (error) {
      throw refusedAfter({ trace: verdict.trace, prechargeWei }, error);
    }
  }

  /** As a reservation would see it: while settlement is late and the brake is on, caps on what is live refuse nothing. */
  private async withoutLifted(
    looks: readonly BudgetLook[],
    { chainId, brakeReleasedAtMs }: OperationKey,
    { chain }: Caller,
  ): Promise<readonly BudgetLook[]> {
    const isLifted = ({ live, liftsWhenLate = false }: BudgetClaim) => live && liftsWhenLate;
    const full = fullBudget(looks);
    if (!full || !isLifted(full.claim) || brakeReleasedAtMs === undefined) return looks;
    const headTimeSeconds = chain.head.latest().timestampSeconds;
    if (!isSettlementLate(await this.ledger.cursor(chainId), headTimeSeconds)) return looks;
    return looks.map((look) => (isLifted(look.claim) ? { ...look, used: 0n, held: 0n } : look));
  }

  /** As a reservation would see it: what landed takes no place of its sender, although settlement has not seen it yet. */
  private async withoutLanded(
    looks: readonly BudgetLook[],
    operation: Parameters<Reservations['landedNonces']>[0],
    caller: Caller,
  ): Promise<readonly BudgetLook[]> {
    const { sender } = operation;
    const full = fullBudget(looks);
    if (!full || !isPlaceOf(sender, full.claim)) return looks;
    const landed = BigInt((await this.reservations.landedNonces(operation, caller)).length);
    return looks.map((look) =>
      isPlaceOf(sender, look.claim) ? { ...look, used: max(look.used - landed, look.held) } : look,
    );
  }
}
