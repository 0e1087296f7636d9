import { Inject, Injectable } from '@nestjs/common';
import {
  DependencyUnavailableError,
  type Address,
  type EntryPointVersion,
  type UserOperation,
} from '@paymaster/domain';
import {
  BudgetRefusedError,
  ClientBoundError,
  SpendingBrakeError,
  type BudgetClaim,
  type Ledger,
  type OperationKey,
  type ReserveRequest,
} from '@paymaster/ledger';
import type { Span } from '@paymaster/tracing';
import { assertInTime } from '@paymaster/turns';
import { LEDGER } from '../chains/open-gateway-ledger';
import type { Caller } from '../callers/caller';
import { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { clientAskOf, type AskedOfWallet } from './client-ask';
import { claimsOf, type ClaimsRequest, type LiveSignatureBounds } from './claims-of';
import { ClientNames } from '../callers/client-names';
import { grantedEvent, type GrantedOperation } from './operation-events';
import { isPlaceOf } from './live-claims';
import { releaseOf, walletAccount, type PayingWallet } from './operation-key';
import { RepeatedGrants } from './repeated-grants';

/** A signature about to be given. */
export interface PromisedOperation extends GrantedOperation {
  readonly operation: GrantedOperation['operation'] & Pick<UserOperation, 'maxFeePerGas'>;
  readonly terms: PayingWallet & { readonly version: EntryPointVersion; readonly entryPoint: Address };
  /** What it asks beyond the gateway's own answer. */
  readonly asked: AskedOfWallet;
  /** The claims of the sponsorship policy, if there is one, and of all restrictions. */
  readonly policy?: { readonly policyId: string | null; readonly claims: readonly BudgetClaim[] };
  /**
   * The claims on the exposure caps, for a payment in tokens. The ledger checks them before the caps on live
   * signatures.
   */
  readonly exposure?: readonly BudgetClaim[];
  /** The span that holding is a part of, with the call to Postgres in it. The request's span when absent. */
  readonly span?: Span;
}

/**
 * Holds in the ledger what a signature may cost, right before it is signed (docs/architecture/ledger.md, "Reserving").
 */
@Injectable()
export class Reservations {
  private readonly bounds: LiveSignatureBounds;
  private readonly names: ClientNames;
  private readonly told = new RepeatedGrants();

  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    config: PaymasterRpcConfig,
  ) {
    this.bounds = {
      perSender: config.maxLiveSignaturesPerSender,
      perClient: config.maxLiveSignaturesPerClient,
      perPaymaster: config.maxLiveSignaturesPerPaymaster,
    };
    this.names = new ClientNames(config.apiKeyIndexKey);
  }

  /**
   * Holds precharge, caps and limits, all or nothing; durable when this resolves. A second request for the same
   * operation holds the higher of the two amounts.
   *
   * @throws {FundingWalletError} FUNDING_WALLET_BALANCE_TOO_LOW
   * @throws {BudgetRefusedError} with the reason of the limit that has no room
   * @throws {SpendingBrakeError}
   * @throws {ClientBoundError}
   * @throws {DependencyUnavailableError} `database`, `ledger` or `chain`; `gateway` when this process was paused for so
   *   long that the signature would be worthless
   * @throws {RequestTimedOutError} when the caller's deadline is over: when the client repeats the request, the gateway
   *   finds what is held by then
   */
  async hold(promised: PromisedOperation): Promise<void> {
    const { caller, terms, prechargeWei, validUntilSeconds, trace, span = caller.span } = promised;
    const { funding } = caller.chain;
    await funding.assertDepositCovers({ entryPoint: terms.entryPoint, neededWei: prechargeWei });
    const request = this.request(promised);
    await funding.assertLeavesHalf({
      paymaster: terms.paymaster,
      wallet: terms.fundingWallet,
      neededWei: prechargeWei,
      maxFeePerGas: promised.operation.maxFeePerGas,
      brakeReleasedAtMs: request.brakeReleasedAtMs,
    });
    request.isQuiet = this.told.isQuiet(request);
    try {
      // Includes the wait for the batch, because the request waits for it. The batch has no span of its own.
      const reserved = this.ledger
        .reserve(request)
        .catch((error: unknown) => this.withoutLanded(error, request, caller));
      await span.call('postgres reserve').until(reserved);
    } catch (error) {
      // The ledger's refusal has no trace; this adds the trace of the earlier checks.
      throw isOfLedger(error) ? error.after(trace) : error;
    }
    this.told.tell(request);
    assertInTime(caller.deadlineMs, performance.now());
    assertStillWorthSigning(caller, validUntilSeconds);
  }

  /**
   * Reserves again when the places of the sender are taken by operations that the chain has, although settlement has not
   * seen them yet. The chain is asked only then.
   */
  private async withoutLanded(error: unknown, request: ReserveRequest, caller: Caller): Promise<string> {
    if (!(error instanceof BudgetRefusedError) || !isPlaceOf(request.sender, error.budget.claim)) throw error;
    const landedNonces = await this.landedNonces(request, caller);
    if (landedNonces.length === 0) throw error;
    return this.ledger.reserve({ ...request, landedNonces });
  }

  /**
   * The sender's other nonces that the chain has used, although settlement has not seen it yet. None where the chain does
   * not answer in time, because then a refusal stands.
   *
   * @throws {DependencyUnavailableError} `database`
   */
  async landedNonces(
    operation: OperationKey & { readonly entryPoint: Address },
    caller: Caller,
  ): Promise<readonly bigint[]> {
    const { entryPoint, sender } = operation;
    const nonces = await this.ledger.openNonces(operation);
    return caller.chain.accounts.landedNonces({ entryPoint, sender, nonces }, caller).catch(() => []);
  }

  /** Every budget that would hold a part of the operation. */
  claimsOf(request: ClaimsRequest): BudgetClaim[] {
    return claimsOf(request, { bounds: this.bounds, names: this.names });
  }

  /** Written as one object literal without spreads for speed, because this code runs for every signature. */
  private request(promised: PromisedOperation): ReserveRequest & { isQuiet: boolean } {
    const { caller, mode, operation, terms, prechargeWei, asked, validUntilSeconds, policy } = promised;
    const { paymasterId, version, settings } = caller.paymaster.snapshot;
    const { sender } = operation;
    const { head } = caller.chain;
    const account = walletAccount(caller, terms);
    const claims = this.claimsOf({ caller, sender, prechargeWei, rules: policy?.claims ?? [] });
    if (promised.exposure) claims.unshift(...promised.exposure);
    return {
      chainId: account.chainId,
      contract: account.contract,
      wallet: account.wallet,
      entryPoint: terms.entryPoint,
      entryPointVersion: terms.version,
      paymasterId,
      policyVersion: version,
      mode,
      sender,
      nonce: operation.nonce,
      prechargeWei,
      expectedWei: asked.expectedWei,
      client: clientAskOf(caller, asked),
      validUntilSeconds,
      nowSeconds: head.nowSeconds(),
      headTimeSeconds: head.latest().timestampSeconds,
      brakeReleasedAtMs: releaseOf(settings),
      deadlineMs: caller.deadlineMs,
      claims,
      event: grantedEvent(promised),
      isQuiet: false,
    };
  }
}

function isOfLedger(error: unknown): error is BudgetRefusedError | ClientBoundError | SpendingBrakeError {
  return (
    error instanceof BudgetRefusedError || error instanceof ClientBoundError || error instanceof SpendingBrakeError
  );
}

/** A process that was paused may have an expired reservation and an old head when it wakes up. */
function assertStillWorthSigning({ chain }: Caller, validUntilSeconds: number): void {
  chain.head.assertNotHalted();
  if (chain.head.nowSeconds() < validUntilSeconds) return;
  throw new DependencyUnavailableError('gateway', 'the request was held up for too long; nothing was signed');
}
