import { Injectable } from '@nestjs/common';
import type { AccountGasLimits, SponsorshipRefusedError } from '@paymaster/domain';
import { PaymasterRpcConfig } from '../config/paymaster-rpc.config';
import { Refusals, type Attempt } from '../reservations/refusals.service';
import { Reservations } from '../reservations/reservations.service';
import { DecisionLog } from './decision-log';
import { estimateWhenCovered } from './estimate-when-covered';
import { assertFee, estimatedGasLimits, pickLimits, prechargeOf, sentGasLimits } from './gas-limits';
import type { SponsorData } from './sponsor-data';
import { sponsorTerms } from './sponsor-terms';
import {
  assertCostWithinCap,
  assertGasWithinBounds,
  assertSponsored,
  callsOf,
  type PolicyQuestion,
} from './sponsorship-policy';
import { SponsorshipSigner } from './sponsorship-signer.service';
import { validityOf } from './validity';

export interface SponsorRequest extends PolicyQuestion {
  /** True: estimate the account's limits. False: sign those sent. */
  readonly calculateGasLimits: boolean;
  /** Validity asked for, undefined for the default; seconds. And where it stands in the request. */
  readonly expiry: { readonly seconds: number | undefined; readonly field: string };
}

/** A signed promise to pay for one operation. */
export interface Sponsorship extends SponsorData {
  /** The limits that were signed. */
  readonly limits: AccountGasLimits;
}

/** Decides on an operation and, if the paymaster sponsors it, signs it. */
@Injectable()
export class SponsorUserOperation {
  constructor(
    private readonly signer: SponsorshipSigner,
    private readonly reservations: Reservations,
    private readonly refusals: Refusals,
    private readonly config: PaymasterRpcConfig,
    private readonly log: DecisionLog,
  ) {}

  /**
   * The caller's policy snapshot is resolved already; here: verdict on every inner call → gas limits → precharge →
   * reserve → encode and sign → log the decision.
   *
   * @throws {InvalidParamsError} naming the field
   * @throws {SponsorshipRefusedError} when the policy says no
   * @throws {FundingWalletError} when nobody pays
   * @throws {SimulationFailedError} when the operation would fail
   * @throws {DependencyUnavailableError} when the chain is halted or something needed is down
   */
  sponsor(request: SponsorRequest): Promise<Sponsorship> {
    const attempt: Attempt = { ...request, mode: 'sponsored' };
    return this.refusals.watch(attempt, () => this.decide(request, attempt));
  }

  private async decide(request: SponsorRequest, attempt: Attempt): Promise<Sponsorship> {
    const { caller, operation } = request;
    const { chain } = caller;
    chain.head.assertNotHalted();
    chain.signer.assertMember(operation.entryPointVersion);
    assertFee(operation);
    const validity = validityOf(request.expiry, {
      nowSeconds: chain.head.nowSeconds(),
      maxSeconds: Math.min(caller.paymaster.snapshot.settings.maxExpirySeconds, this.config.maxExpirySeconds),
    });

    const decoded = callsOf(request);
    const verdict = await assertSponsored(request, decoded);
    const terms = sponsorTerms(caller, operation.entryPointVersion);
    const limits = request.calculateGasLimits
      ? await estimateWhenCovered(request, terms)
      : sentGasLimits(operation, terms);
    const final = { ...operation, ...pickLimits(limits) };
    const bounded = assertGasWithinBounds({ caller, operation: final, trace: verdict }, terms);
    const prechargeWei = (attempt.prechargeWei = prechargeOf(final, terms));
    const trace = assertCostWithinCap({ caller, prechargeWei, trace: bounded });
    const { validUntilSeconds } = validity;
    await this.reservations.hold({ ...attempt, terms, prechargeWei, validUntilSeconds, decoded, trace });
    const data = await this.signer.sign({ operation: final, terms, validity, chainId: chain.config.chainId });
    const { sender, entryPointVersion } = operation;
    this.log.granted({ caller, sender, entryPointVersion, prechargeWei, validUntilSeconds });
    return { ...data, limits: pickLimits(limits) };
  }

  /**
   * The limits a client goes on with when its user pays (`onRefusal: userPays`): those sent, else the estimation with
   * our stub, because without a paymaster a sender without coin cannot be estimated.
   *
   * @param refusal thrown instead when there is no estimate
   */
  async limitsForUserPays(question: PolicyQuestion, refusal: SponsorshipRefusedError): Promise<AccountGasLimits> {
    const { caller, operation, account } = question;
    this.log.failed(refusal, { requestId: caller.requestId, caller, sender: operation.sender });
    const sent = pickLimits(operation);
    // No paymaster will be in the operation, so ours asks nothing of them.
    if (Object.values(sent).every((limit) => limit > 0n)) return sent;
    try {
      const terms = sponsorTerms(caller, operation.entryPointVersion);
      return await estimatedGasLimits({ chain: caller.chain, operation, account, terms });
    } catch {
      throw refusal;
    }
  }
}
