import type { Address, EntryPointVersion } from '@paymaster/domain';
import type { GrantedEvent, RefusedEvent } from '@paymaster/messaging';

/** A funding wallet's account in one contract. */
export interface WalletAccount {
  readonly chainId: number;
  /** The paymaster contract; one per EntryPoint. */
  readonly contract: Address;
  readonly wallet: Address;
}

/** An operation as a paymaster knows it; only one of a nonce can land. */
export interface PaymasterOperation {
  readonly paymasterId: string;
  readonly sender: Address;
  /** All 256 bits. */
  readonly nonce: bigint;
  /** When the owner last released the spending brake, unix milliseconds; undefined where there is none. */
  readonly brakeReleasedAtMs?: number | undefined;
}

/** What a reservation is found by. */
export interface OperationKey extends WalletAccount, PaymasterOperation {}

/**
 * What one of many may hold: a part of what is left of something, what it holds itself included; all that is left where
 * it holds nothing else. So it takes all with one operation at most, which rules of their own bound, and none is too
 * large for its limit. What it holds already is granted again.
 */
export interface Share {
  /** 1 to 100; rounded up. */
  readonly percent: number;
  /** The key of an earlier claim of the same request, or the wallet. */
  readonly of: string | typeof WALLET;
}

/** What a request's wallet is called in {@link Share.of}; no budget's key looks like it. */
export const WALLET = 'wallet';

/** What one operation asks of one budget. */
export interface BudgetClaim {
  /** Names the budget: paymaster, rule, subject and window. The same key always means the same budget. */
  readonly key: string;
  /** Released entirely when the reservation closes: a cap on what is live, not on what is spent. */
  readonly live: boolean;
  /**
   * `wei`: what the charge leaves spent; `count`: 1; `microUsd`: the charge at the price of the signature; `exposureWei`:
   * all of it where the operation did not pay in tokens, else nothing ({@link exposureClaims} makes them).
   */
  readonly unit: 'wei' | 'microUsd' | 'count' | 'exposureWei';
  /** The most it can take. */
  readonly amount: bigint;
  /** Not looked at where there is a {@link share}. */
  readonly limit: bigint;
  /** A part of what others leave, in place of a limit. */
  readonly share?: Share;
  /** For `microUsd`. */
  readonly microUsdPerNative?: bigint;
  /** End of the window; undefined for none. Unix seconds. */
  readonly endsAtSeconds?: number;
  /** What a refusal says. */
  readonly refusal: { readonly rule: string; readonly reason: string; readonly message: string };
}

/** One signature about to be given. */
export interface ReserveRequest extends OperationKey {
  readonly entryPoint: Address;
  readonly entryPointVersion: EntryPointVersion;
  readonly policyVersion: number;
  readonly mode: 'sponsored' | 'token';
  readonly prechargeWei: bigint;
  readonly validUntilSeconds: number;
  /** Time on chain as this process knows it. */
  readonly nowSeconds: number;
  /** Time of the newest block that this process knows; `nowSeconds` when absent. Less where the chain stands still. */
  readonly headTimeSeconds?: number;
  readonly claims: readonly BudgetClaim[];
  /** Whoever listens was told of this operation a moment ago: the event is written for a new reservation only. */
  readonly isQuiet?: boolean;
  /** When whoever asked has been answered, and nothing is to be held any more; milliseconds of the monotonic clock. */
  readonly deadlineMs?: number;
  /** Written to the outbox in the same transaction; id, time and reservation are added by the ledger. */
  readonly event: Omit<GrantedEvent, 'eventId' | 'atMs' | 'reservationId'>;
}

/** Use of one budget, for explanations. */
export interface BudgetUse {
  readonly key: string;
  readonly usedAmount: bigint;
  /** What of it the operation that was asked about holds itself; asked again, it adds only what is above that. */
  readonly heldAmount: bigint;
  readonly limit: bigint;
  readonly endsAtSeconds: number | null;
}

/** How far the books of a chain go. */
export interface LedgerCursor {
  /** Time of the newest applied block. */
  readonly headTimeSeconds: number;
  /** Since settlement last saw that no provider names a newer block, by the database's clock; absent when it never did. */
  readonly checkedSecondsAgo?: number;
  /** Why nothing is reserved on this chain, or null. */
  readonly haltedReason: string | null;
}

/** What a process takes of its database. */
export interface LedgerUsage {
  /** Connections: open, without work, and calls that wait for one. */
  readonly pool: { readonly total: number; readonly idle: number; readonly waiting: number };
  /** Refusals that were not recorded since the start: there were too many. */
  readonly droppedRefusals: number;
}

/** What the gateway does with the ledger. */
export interface Ledger {
  /**
   * Holds the precharge and every claim, all or nothing, durably. Call it right before signing.
   *
   * @returns the reservation's id
   * @throws {FundingWalletError} FUNDING_WALLET_BALANCE_TOO_LOW
   * @throws {BudgetRefusedError} with the reason of the claim that has no room
   * @throws {SpendingBrakeError} SPENDING_BRAKE
   * @throws {DependencyUnavailableError} `database` (down or too slow), or `ledger` (LEDGER_BEHIND)
   * @throws {RequestTimedOutError} when the request's `deadlineMs` came first
   */
  reserve(request: ReserveRequest): Promise<string>;

  /**
   * Wei a wallet can still promise; at most a second old. A cursor that is too old is found by {@link reserve}, which
   * knows the chain's time.
   *
   * @param operation what it holds itself counts as available to it. Costs a read that is shared with nobody: ask
   *   without it first
   * @throws {DependencyUnavailableError} `database`, or `ledger` when the chain has no cursor or is halted
   */
  availableWei(account: WalletAccount, operation?: PaymasterOperation): Promise<bigint>;

  /**
   * Wei a wallet has, whatever of it is held; at most a second old, and of one read with {@link availableWei}.
   *
   * @throws what {@link availableWei} throws
   */
  spendableWei(account: WalletAccount): Promise<bigint>;

  /**
   * Whether the spending brake leaves so much for an operation; at most a second old. Where {@link reserve} would stop
   * the paymaster, it says nothing: whoever goes on to reserve stops it, and only that tells the owner.
   *
   * @param look.isExplained nobody goes on to reserve, so that is said too
   * @throws {SpendingBrakeError} SPENDING_BRAKE
   * @throws {DependencyUnavailableError} `database`
   */
  assertBrakeLeaves(
    neededWei: bigint,
    operation: OperationKey,
    look?: { readonly isExplained?: boolean | undefined },
  ): Promise<void>;

  /**
   * How far a chain's books go, or undefined when it has none; at most a second old.
   *
   * @throws {DependencyUnavailableError} `database`
   */
  cursor(chainId: number): Promise<LedgerCursor | undefined>;

  /**
   * How far budgets are used; nothing is held. Unknown keys are unused. Shares come with the limit that they have now.
   *
   * @param operation whose own holds are told apart, and whose wallet has shares; without it there are none
   */
  peek(claims: readonly BudgetClaim[], operation?: OperationKey): Promise<readonly BudgetUse[]>;

  /** Landed and reverted operations of the last minutes of chain time; at most a second old. */
  outcomes(query: {
    paymasterId: string;
    chainId: number;
    sinceSeconds: number;
  }): Promise<{ readonly landed: number; readonly reverted: number }>;

  /** Writes refusals to the outbox, in the background; bounded, drops what is too much and counts it. */
  recordRefusal(event: Omit<RefusedEvent, 'eventId' | 'atMs'>): void;

  /** Whether the database answers now. */
  isUp(): boolean;

  /** How this process uses its connections, where it has some; and refusals that were not recorded. For metrics. */
  usage?(): LedgerUsage;

  close(): Promise<void>;
}
