import { Injectable } from '@nestjs/common';
import { isPacked, refusedAfter, type TraceLine, type UserOperation } from '@paymaster/domain';
import type { Span } from '@paymaster/tracing';
import { PaymasterRpcConfig } from '../../platform/config/paymaster-rpc.config';
import type { AskedOfWallet } from '../../hold/client-ask';
import type { WebhookData } from '../webhooks/decision-question';
import { estimateWhenCovered } from '../limits/estimate-when-covered';
import { assertRoomForPostOp, assertSignable, pickLimits, prechargeOf, sentGasLimits } from '../limits/gas-limits';
import { changedLimits } from '../rules/limit-changes';
import { delegatesAlready } from '../facts/look-at-account';
import {
  askPolicies,
  assertSomePolicyMayAllow,
  OwnerPolicies,
  type AllowingVerdict,
  type Facts,
} from '../facts/owner-policies.service';
import { sponsorTerms, type SponsorTerms } from '../terms/sponsor-terms';
import { askedOf, judgeCosts, seeTipsOf, type GasQuestion, type PolicyQuestion } from '../rules/sponsorship-policy';
import { validityBounds, validityOf, type Validity, type WantedValidity } from '../terms/validity';

/** An operation that its paymaster is to sponsor. */
export interface SponsorRequest extends PolicyQuestion {
  readonly mode: 'sponsored';
  /** True: estimate the account's limits. False: sign the limits that were sent. */
  readonly calculateGasLimits: boolean;
  readonly expiry: WantedValidity;
  /** For the owner's decision webhook. */
  readonly webhookData?: WebhookData | undefined;
  /** The only sponsorship policies of the paymaster that are asked; absent: all. */
  readonly policyIds?: readonly string[] | undefined;
  /** Whether the client's form has the paymaster's signature in the data that the account signs, also on v0.9. */
  readonly needsSignatureNow?: boolean | undefined;
  /** What was judged of its limits and fees when it was promised, where they are not judged again. */
  readonly judged?: Cost | undefined;
}

/** What an operation costs, by the prices of the moment in which it was judged. */
export interface Cost {
  /** The most it can cost; wei. */
  readonly prechargeWei: bigint;
  /** What the operation asks beyond the gateway's own answer. */
  readonly asked: AskedOfWallet;
  /** Up to limits, fees and cost, which are within their bounds. */
  readonly trace: readonly TraceLine[];
}

/** The limits to sign. */
export interface Limits {
  /** With these limits. */
  readonly operation: UserOperation;
  readonly terms: SponsorTerms;
  /** Of the calls; our own only where a policy compares it with the limit. */
  readonly estimatedCallGas: bigint;
}

/**
 * What the stages found of an operation that the paymaster sponsors, side by side, as far as this is known without
 * holding anything.
 */
export interface Judgement {
  readonly validity: Validity;
  readonly facts: Facts;
  readonly limits: Limits;
  readonly cost: Cost;
  /** What to claim: the owner's policies to try, in order, and the trace so far. */
  readonly claims: AllowingVerdict;
}

/** Decides on an operation up to the point where something would be held. Has no effect. */
@Injectable()
export class JudgeOperation {
  constructor(
    private readonly policies: OwnerPolicies,
    private readonly config: PaymasterRpcConfig,
  ) {}

  /**
   * Needs the caller's policy snapshot. Facts with the verdict on every inner call → policies that need no costs →
   * limits → cost → claims of the policies that need the cost.
   *
   * @param span what an estimate is a part of
   * @throws what {@link SponsorUserOperation.sponsor} throws; a refusal says what was found out before
   */
  async judge(request: SponsorRequest, span = request.caller.span): Promise<Judgement> {
    const { caller } = request;
    assertSignable(caller, request.operation);
    const validity = validityOf(request.expiry, validityBounds(caller, this.config));

    const facts = await this.policies.factsOf(request);
    const signable = (await delegatesAlready(request)) ? withoutAuthorization(request) : request;
    assertSomePolicyMayAllow(facts, signable.operation);
    const limits = await limitsOf(signable, facts, span);
    const { operation, terms, estimatedCallGas } = limits;
    const prechargeWei = prechargeOf(operation, terms);
    try {
      const cost = request.judged ?? costOf(request, { facts, limits, prechargeWei });
      const costs = { prechargeWei, estimatedCallGas };
      const claims = askPolicies(facts.policies, { caller, operation, costs, trace: cost.trace });
      return { validity, facts, limits, cost, claims };
    } catch (error) {
      throw refusedAfter({ trace: facts.trace, prechargeWei }, error);
    }
  }
}

/** The account has the delegation already, so the operation neither sets it up nor pays for it. */
function withoutAuthorization(request: SponsorRequest): SponsorRequest {
  if (!isPacked(request.operation)) return request;
  const { eip7702Auth: _needless, ...operation } = request.operation;
  return { ...request, operation };
}

/** The limits that were sent, or our estimate. A separate estimate is made only where a policy compares the two. */
async function limitsOf(request: SponsorRequest, { trace }: Facts, span: Span): Promise<Limits> {
  const { caller, operation } = request;
  try {
    const seeing = seeTipsOf(request);
    if (seeing) await seeing;
    const terms = sponsorTerms(caller, operation.entryPointVersion);
    if (request.calculateGasLimits) {
      const estimate = await estimateWhenCovered(request, terms, { span });
      const limits = changedLimits(estimate, request.limitChanges);
      assertRoomForPostOp(limits, terms);
      return { operation: { ...operation, ...pickLimits(limits) }, terms, estimatedCallGas: estimate.callGasLimit };
    }
    sentGasLimits(operation, terms);
    const isCompared = caller.paymaster.policy.policies.needs.estimate;
    const { callGasLimit } = isCompared ? await estimateWhenCovered(request, terms, { span }) : operation;
    return { operation, terms, estimatedCallGas: callGasLimit };
  } catch (error) {
    throw refusedAfter({ trace }, error);
  }
}

/** Judges limits, fees and cost by the prices of now. @throws {SponsorshipRefusedError} */
function costOf(
  { caller, calculateGasLimits, limitChanges }: SponsorRequest,
  { facts, limits, prechargeWei }: { facts: Facts; limits: Limits; prechargeWei: bigint },
): Cost {
  const { operation, terms } = limits;
  const shape = facts.decoded.understood ? facts.decoded.shape : undefined;
  const isOwnAnswer = calculateGasLimits && !limitChanges;
  const gas: GasQuestion = { caller, operation, trace: facts.trace, shape, isOwnAnswer };
  const { compared, trace } = judgeCosts(gas, { stub: terms.stub, prechargeWei });
  return { prechargeWei, asked: askedOf(gas, terms, compared), trace };
}
