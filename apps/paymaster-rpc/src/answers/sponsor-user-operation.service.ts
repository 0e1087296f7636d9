import { Injectable } from '@nestjs/common';
import { refusedAfter, type AccountGasLimits, type SponsorshipRefusedError } from '@paymaster/domain';
import type { Caller } from '../callers/caller';
import type { AllowingVerdict } from '../decide/facts/owner-policies.service';
import { RateLimitedError } from '../platform/errors/rpc-errors';
import { Refusals } from '../decide/verdict/refusals.service';
import type { AskedOfWallet } from '../hold/client-ask';
import { Reservations } from '../hold/reservations.service';
import { DecisionLog } from '../decide/verdict/decision-log';
import { tryPolicies } from '../decide/verdict/try-policies';
import { estimatedGasLimits, pickLimits } from '../decide/limits/gas-limits';
import { JudgeOperation, type Judgement, type SponsorRequest } from '../decide/verdict/judge-operation.service';
import { OwnerDecisions } from '../decide/verdict/owner-decisions.service';
import { ownAnswerAfter } from '../decide/limits/own-answer';
import type { SponsorData } from '../decide/terms/sponsor-data';
import { sponsorTerms } from '../decide/terms/sponsor-terms';
import type { PolicyQuestion } from '../decide/rules/sponsorship-policy';
import { SponsorshipSigner } from '../sign/sponsorship-signer.service';

/** A signed promise to pay for one operation. */
export interface Sponsorship extends SponsorData {
  /** The limits that were signed. */
  readonly limits: AccountGasLimits;
}

/** Decides on an operation and, if the paymaster sponsors it, signs it. */
@Injectable()
export class SponsorUserOperation {
  constructor(
    private readonly judgeOperation: JudgeOperation,
    private readonly decisions: OwnerDecisions,
    private readonly reservations: Reservations,
    private readonly signer: SponsorshipSigner,
    private readonly refusals: Refusals,
    private readonly log: DecisionLog,
  ) {}

  /**
   * Needs the caller's policy snapshot. Judge → ask the owner's webhooks → reserve by the first policy whose limits
   * have room → encode and sign → log the decision.
   *
   * @param assertValid of an operation that was sent with a placeholder for the signature: throws when it cannot land
   *   once it is signed, before anybody is asked and anything is held
   * @throws {InvalidParamsError} naming the field
   * @throws {SponsorshipRefusedError} when the policy says no
   * @throws {FundingWalletError} when no wallet can pay
   * @throws {SimulationFailedError} when the operation would fail
   * @throws {DependencyUnavailableError} when the chain is halted or something needed is down
   */
  sponsor(request: SponsorRequest, assertValid?: (judgement: Judgement) => Promise<void>): Promise<Sponsorship> {
    return this.refusals.watch(request, () => this.decide(request, assertValid));
  }

  private async decide(
    request: SponsorRequest,
    assertValid: ((judgement: Judgement) => Promise<void>) | undefined,
  ): Promise<Sponsorship> {
    const { caller } = request;
    const span = caller.span.child('verdict');
    const judgement = await span.until(this.judgeOperation.judge(request, span));
    const { facts, limits, cost, claims, validity } = judgement;
    const { operation, terms } = limits;
    try {
      if (assertValid) await assertValid(judgement);
      const verified = await this.decisions.confirm(request, judgement);
      const hold = (asked: AskedOfWallet) => this.hold(caller, { judgement, verified, asked });
      await hold(cost.asked).catch(async (error: unknown) => {
        const signed = { caller, operation, account: request.account };
        return hold(await ownAnswerAfter(error, signed, { terms, sponsor: terms }));
      });
      const { eip7702Delegate } = facts.accountFacts;
      const data = await caller.span
        .child('sign')
        .until(this.signer.sign({ operation, eip7702Delegate, terms, validity, caller }));
      const { sender, entryPointVersion } = operation;
      caller.chain.accounts.signed(sender);
      const { validUntilSeconds } = validity;
      this.log.granted({ caller, sender, entryPointVersion, prechargeWei: cost.prechargeWei, validUntilSeconds });
      return { ...data, limits: pickLimits(operation) };
    } catch (error) {
      throw refusedAfter({ trace: claims.trace, prechargeWei: cost.prechargeWei }, error);
    }
  }

  /** Reserves by the first policy whose limits have room. */
  private hold(
    caller: Caller,
    { judgement, verified, asked }: { judgement: Judgement; verified: AllowingVerdict; asked: AskedOfWallet },
  ): Promise<void> {
    const { facts, limits, cost, validity } = judgement;
    return tryPolicies({ caller, verdict: verified }, ({ policyId, claims, trace }) => {
      const span = caller.span.child('reserve');
      return span.until(
        this.reservations.hold({
          // Written as one object literal for speed, because this code runs for every signature.
          caller,
          mode: 'sponsored',
          operation: limits.operation,
          decoded: facts.decoded,
          terms: limits.terms,
          prechargeWei: cost.prechargeWei,
          asked,
          validUntilSeconds: validity.validUntilSeconds,
          trace,
          policy: { policyId, claims },
          span,
        }),
      );
    });
  }

  /**
   * The limits with which a client continues when its user pays (`onRefusal: userPays`): the sent limits, else an
   * estimate with our stub, because without a paymaster a sender without coin cannot be estimated.
   *
   * @param refusal thrown instead when there is no estimate
   * @throws {RateLimitedError} when the client has too many estimates under way: it may ask again
   */
  async limitsForUserPays(question: PolicyQuestion, refusal: SponsorshipRefusedError): Promise<AccountGasLimits> {
    const { caller, operation, account } = question;
    this.log.failed(refusal, { requestId: caller.requestId, caller, sender: operation.sender });
    const sent = pickLimits(operation);
    // The operation will have no paymaster, so the limits are not raised for ours.
    if (Object.values(sent).every((limit) => limit > 0n)) return sent;
    try {
      const terms = sponsorTerms(caller, operation.entryPointVersion);
      return await estimatedGasLimits({ caller, operation, account, terms });
    } catch (error) {
      throw error instanceof RateLimitedError ? error : refusal;
    }
  }
}
