import { Inject, Injectable } from '@nestjs/common';
import {
  DependencyUnavailableError,
  SponsorshipRefusedError,
  type EntryPointVersion,
  type TraceLine,
  type UserOperation,
} from '@paymaster/domain';
import type { BudgetClaim, Ledger } from '@paymaster/ledger';
import type { DecodeResult } from '@paymaster/policy';
import { LEDGER } from '../chains/ledger.token';
import type { Caller } from '../callers/caller';
import { PaymasterRpcConfig } from '../config/paymaster-rpc.config';
import type { SponsorTerms } from '../sponsorship/sponsor-terms';
import { claimsOf, type ClaimsRequest, type LiveSignatureBounds, type RuleClaim } from './claims-of';
import { grantedEvent } from './operation-events';

/** A signature about to be given. */
export interface PromisedOperation {
  readonly caller: Caller;
  readonly mode: 'sponsored' | 'token';
  readonly operation: Pick<UserOperation, 'sender' | 'nonce'> & { readonly entryPointVersion: EntryPointVersion };
  readonly terms: Pick<SponsorTerms, 'version' | 'entryPoint' | 'paymaster' | 'fundingWallet'>;
  readonly prechargeWei: bigint;
  readonly validUntilSeconds: number;
  readonly decoded: DecodeResult;
  /** Of the verdicts so far. */
  readonly trace: readonly TraceLine[];
  /** Whose limits these are: of a sponsorship policy, if there is one, and of all restrictions. */
  readonly policy?: { readonly policyId: string | null; readonly claims: readonly RuleClaim[] };
}

/** Holds in the ledger what a signature may cost, right before it is given (docs/architecture/ledger.md, "Reserving"). */
@Injectable()
export class Reservations {
  private readonly bounds: LiveSignatureBounds;

  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    config: PaymasterRpcConfig,
  ) {
    this.bounds = {
      perSender: config.maxLiveSignaturesPerSender,
      perClient: config.maxLiveSignaturesPerClient,
      perPaymaster: config.maxLiveSignaturesPerPaymaster,
    };
  }

  /**
   * Precharge, caps and limits, all or nothing, durable when this resolves. Asked again for the same operation, it
   * holds the maximum.
   *
   * @throws {FundingWalletError} FUNDING_WALLET_BALANCE_TOO_LOW
   * @throws {SponsorshipRefusedError} with the reason of the limit that has no room
   * @throws {DependencyUnavailableError} `database`, `ledger` or `chain`; `gateway` when this process was held up until
   *   the signature would be worthless
   */
  async hold(promised: PromisedOperation): Promise<void> {
    const { caller, terms, prechargeWei, validUntilSeconds, trace } = promised;
    await caller.chain.funding.assertDepositCovers({ entryPoint: terms.entryPoint, neededWei: prechargeWei });
    try {
      await this.ledger.reserve(this.request(promised));
    } catch (error) {
      throw error instanceof SponsorshipRefusedError ? withTrace(error, trace) : error;
    }
    assertStillWorthSigning(caller, validUntilSeconds);
  }

  /** Every budget that an operation would be held in. */
  claimsOf(request: ClaimsRequest): BudgetClaim[] {
    return claimsOf(request, this.bounds);
  }

  private request(promised: PromisedOperation): Parameters<Ledger['reserve']>[0] {
    const { caller, mode, operation, terms, prechargeWei, validUntilSeconds, policy } = promised;
    const { paymasterId, version } = caller.paymaster.snapshot;
    const { fundingWallet } = terms;
    const { sender, nonce } = operation;
    return {
      chainId: caller.chain.config.chainId,
      contract: terms.paymaster,
      wallet: fundingWallet,
      entryPoint: terms.entryPoint,
      entryPointVersion: terms.version,
      ...{ paymasterId, policyVersion: version, mode, sender, nonce, prechargeWei, validUntilSeconds },
      nowSeconds: caller.chain.head.nowSeconds(),
      claims: this.claimsOf({ caller, sender, rules: policy?.claims ?? [] }),
      event: grantedEvent({ ...promised, fundingWallet, policyId: policy?.policyId ?? null }),
    };
  }
}

/** The ledger does not know what was looked at before it. */
function withTrace(error: SponsorshipRefusedError, trace: readonly TraceLine[]): SponsorshipRefusedError {
  return new SponsorshipRefusedError(error.reason, error.message, [...trace, ...error.trace], { ...error.details });
}

/** A process that was paused wakes up with a reservation that may have expired, and with a head of before. */
function assertStillWorthSigning({ chain }: Caller, validUntilSeconds: number): void {
  chain.head.assertNotHalted();
  if (chain.head.nowSeconds() < validUntilSeconds) return;
  throw new DependencyUnavailableError('gateway', 'the request was held up for too long; nothing was signed');
}
