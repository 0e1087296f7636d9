import { Injectable } from '@nestjs/common';
import { isPacked, type AccountGasLimits, type Address, type TraceLine, type UserOperation } from '@paymaster/domain';
import type { DecodeResult } from '@paymaster/policy';
import type { Span } from '@paymaster/tracing';
import { PaymasterRpcConfig } from '../../platform/config/paymaster-rpc.config';
import type { AskedOfWallet } from '../../hold/asked-of-wallet';
import type { WebhookData } from '../webhooks/decision-question';
import { bundlersCosts } from '../terms/bundlers-costs';
import { estimateWhenCovered } from '../limits/estimate-when-covered';
import { assertFee, assertRoomForPostOp, pickLimits, prechargeOf, sentGasLimits } from '../limits/gas-limits';
import { changedLimits } from '../rules/limit-changes';
import { delegatesAlready, lookAtAccount } from '../facts/look-at-account';
import {
  askPolicies,
  assertSomePolicyMayAllow,
  OwnerPolicies,
  type AllowingVerdict,
} from '../facts/owner-policies.service';
import { sponsorTerms, type SponsorTerms } from '../terms/sponsor-terms';
import {
  askedOf,
  judgeCost,
  judgeGas,
  judgeCalls,
  callsOf,
  type GasQuestion,
  type PolicyQuestion,
  seeTipsOf,
} from '../rules/sponsorship-policy';
import { validityBounds, validityOf, type Validity, type WantedValidity } from '../terms/validity';

export interface SponsorRequest extends PolicyQuestion {
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
  readonly judged?: Judged | undefined;
}

/** The part of a judgement that depends on the prices of its moment. */
export interface Judged {
  /** What the operation asks beyond the gateway's own answer. */
  readonly asked: AskedOfWallet;
  /** The trace up to limits, fees and cost, which are within their bounds. */
  readonly affordable: readonly TraceLine[];
}

/** What is known of an operation so far; events and logs of a refusal use it. */
export interface Progress {
  /** Set once it is known; wei. */
  prechargeWei?: bigint;
  trace?: readonly TraceLine[];
  /** The step that runs now; an estimate is a part of it. */
  span?: Span;
}

/** An operation that the paymaster sponsors, as far as this is known without holding anything. */
export interface Judgement extends Judged {
  /** With the limits that will be signed. */
  readonly operation: UserOperation;
  readonly decoded: DecodeResult;
  /** The delegate whose code the account will run by EIP-7702, if it delegates. */
  readonly eip7702Delegate: Address | undefined;
  readonly terms: SponsorTerms;
  readonly validity: Validity;
  /** The most it can cost. */
  readonly prechargeWei: bigint;
  /** The owner's policies to try, and the trace so far. */
  readonly verdict: AllowingVerdict;
}

/** Decides on an operation up to the point where something would be held. Has no effect. */
@Injectable()
export class JudgeOperation {
  constructor(
    private readonly policies: OwnerPolicies,
    private readonly config: PaymasterRpcConfig,
  ) {}

  /**
   * Needs the caller's policy snapshot. Verdict on every inner call → policies that need no costs → gas limits
   * → precharge → policies that need the costs.
   *
   * @throws what {@link SponsorUserOperation.sponsor} throws
   */
  async judge(request: SponsorRequest, progress: Progress): Promise<Judgement> {
    const { caller, policyIds } = request;
    const { chain } = caller;
    chain.head.assertNotHalted();
    chain.signer.assertMember(request.operation.entryPointVersion);
    assertFee(request.operation);
    const validity = validityOf(request.expiry, validityBounds(caller, this.config));

    const decoded = callsOf(request);
    const accountFacts = await lookAtAccount({ ...request, decoded });
    const sponsored = (progress.trace = judgeCalls(request, { decoded, accountFacts }));
    const judged = (await delegatesAlready(request)) ? withoutAuthorization(request) : request;
    const { operation } = judged;
    const facts = await this.policies.factsFor(caller, { decoded, accountFacts, policyIds });
    assertSomePolicyMayAllow(facts, { operation, trace: sponsored });
    await seeTipsOf(judged);
    const terms = sponsorTerms(caller, operation.entryPointVersion);
    const { limits, estimatedCallGas } = await limitsFor(judged, terms, progress.span);
    const final = limits === operation ? operation : { ...operation, ...pickLimits(limits) };
    const isOwnAnswer = request.calculateGasLimits && !request.limitChanges;
    const shape = decoded.understood ? decoded.shape : undefined;
    const gas = { caller, operation: final, trace: sponsored, shape, isOwnAnswer };
    const prechargeWei = (progress.prechargeWei = prechargeOf(final, terms));
    const { asked, affordable } = request.judged ?? judgedNow(gas, terms, { prechargeWei, progress });
    const costs = { prechargeWei, estimatedCallGas };
    const verdict = askPolicies(facts, { caller, operation: final, costs, trace: affordable });
    progress.trace = verdict.trace;
    const { eip7702Delegate } = accountFacts;
    return { operation: final, decoded, eip7702Delegate, terms, validity, prechargeWei, asked, affordable, verdict };
  }
}

/** Judges limits, fees and cost by the prices of now. @throws {SponsorshipRefusedError} */
function judgedNow(
  gas: GasQuestion,
  terms: SponsorTerms,
  { prechargeWei, progress }: { prechargeWei: bigint; progress: Progress },
): Judged {
  const { caller, operation } = gas;
  const bundler = bundlersCosts(gas, terms);
  const trace = (progress.trace = judgeGas(gas, terms, bundler));
  const asked = askedOf(gas, terms, bundler);
  return { asked, affordable: (progress.trace = judgeCost({ caller, operation, prechargeWei, trace })) };
}

/** The account has the delegation already, so the operation neither sets it up nor pays for it. */
function withoutAuthorization(request: SponsorRequest): SponsorRequest {
  if (!isPacked(request.operation)) return request;
  const { eip7702Auth: _needless, ...operation } = request.operation;
  return { ...request, operation };
}

/** The limits to sign, and our estimate of the calls' gas: a separate estimate only where a policy compares the two. */
async function limitsFor(
  request: SponsorRequest,
  terms: SponsorTerms,
  span = request.caller.span,
): Promise<{ limits: AccountGasLimits; estimatedCallGas: bigint }> {
  if (request.calculateGasLimits) {
    const estimate = await estimateWhenCovered(request, terms, { span });
    const limits = changedLimits(estimate, request.limitChanges);
    assertRoomForPostOp(limits, terms);
    return { limits, estimatedCallGas: estimate.callGasLimit };
  }
  const limits = sentGasLimits(request.operation, terms);
  if (!request.caller.paymaster.policy.policies.needs.estimate) {
    return { limits, estimatedCallGas: limits.callGasLimit };
  }
  const { callGasLimit: estimatedCallGas } = await estimateWhenCovered(request, terms, { span });
  return { limits, estimatedCallGas };
}
