import type { Address, EntryPointVersion, Hex } from '@paymaster/domain';
import type { BundlerEvent, GrantedEvent, RefusedEvent } from '@paymaster/messaging';

/** A funding wallet's account in one contract. */
export interface WalletAccount {
  readonly chainId: number;
  /** The paymaster contract; one per EntryPoint. */
  readonly contract: Address;
  readonly wallet: Address;
}

/** What identifies an operation of a paymaster. Only one operation of a nonce can land. */
export interface PaymasterOperation {
  readonly paymasterId: string;
  readonly sender: Address;
  /** All 256 bits. */
  readonly nonce: bigint;
  /** When the owner last released the spending brake, unix milliseconds; undefined if the brake is off. */
  readonly brakeReleasedAtMs?: number | undefined;
}

/** The key by which the ledger finds a reservation. */
export interface OperationKey extends WalletAccount, PaymasterOperation {}

/**
 * The part of a limit or a wallet that one client may hold: a percentage of the sum of what is left and what the client
 * itself holds. A client that holds nothing else may take all that is left, so no operation is too large for its share;
 * other rules bound the cost of one operation. What the client holds already is granted again.
 */
export interface Share {
  /** 1 to 100; rounded up. */
  readonly percent: number;
  /** True: all strangers' senders share it, and a sender that landed an operation of the wallet lately is not bound. */
  readonly isOfStrangers?: boolean;
  /** The key of an earlier claim of the same request, or the wallet. */
  readonly of: string | typeof WALLET;
}

/** Stands for the request's wallet in {@link Share.of}; no key of a budget has this form. */
export const WALLET = 'wallet';

/** The amount that one operation needs of one budget. */
export interface BudgetClaim {
  /** Names the budget: paymaster, rule, subject and window. The same key always means the same budget. */
  readonly key: string;
  /** True: a cap on what is live, not on what is spent. Its hold is released entirely when the reservation closes. */
  readonly live: boolean;
  /**
   * The unit decides how much becomes spent. `wei`: the charge. `count`: 1. `microUsd`: the charge, at the price when
   * it was signed. `exposureWei`: the whole amount if the operation did not pay in tokens, else nothing
   * ({@link exposureClaims} makes such claims).
   */
  readonly unit: 'wei' | 'microUsd' | 'count' | 'exposureWei';
  /** The most that the operation can take of the budget. */
  readonly amount: bigint;
  /** Ignored if there is a {@link share}. */
  readonly limit: bigint;
  /**
   * For a limit that several paymasters share: its own version, because their policy versions cannot be compared. By
   * default the request's policy version. The limit of the newest version is in force.
   */
  readonly version?: number;
  /**
   * True: while settlement is late and the paymaster has a spending brake, only what is spent or known to be unpaid
   * counts.
   */
  readonly liftsWhenLate?: boolean;
  /** A share of what others leave, in place of a limit. */
  readonly share?: Share;
  /** The price of the chain's coin, for a claim in `microUsd`. */
  readonly microUsdPerNative?: bigint;
  /** End of the window; undefined without a window. Unix seconds. */
  readonly endsAtSeconds?: number;
  /** The reason and the message of a refusal. */
  readonly refusal: { readonly rule: string; readonly reason: string; readonly message: string };
}

/** The amounts with which a request counts in the bounds on strangers (ADR 0025). */
export interface ClientAsk {
  /** Keyed hash of the client's network. */
  readonly network: string;
  /**
   * The amount by which the bill for the signed limits and fees can be above that of the gateway's own answer; wei. So
   * the gateway's own answer would cost `expectedWei - excessWei`.
   */
  readonly excessWei: bigint;
  /** True: the gateway calculated limits and fees, so the request is never refused for excess. */
  readonly isOwnAnswer: boolean;
  /** The part of the wallet that a network's operations may cost in an hour; millionths. */
  readonly roomMillionths: bigint;
  /**
   * Ten million gas at the chain's price; wei. The room is never less than this or a tenth of the wallet, whichever is
   * lower.
   */
  readonly leastRoomWei: bigint;
  /** The precharge of an ordinary operation: 1,000,000 gas at the chain's price. Five may always be held at once; wei. */
  readonly ordinaryWei: bigint;
  /** True: a testnet, on which only the brake and the amount held at once are bounded. */
  readonly isTestnet: boolean;
  /** True: the owner lets clients share everything, so a network may hold as much as it likes at once. */
  readonly holdsFreely?: boolean;
}

/** What a client asks for, and at which block of the chain. */
export interface ClientQuestion extends OperationKey {
  readonly client: ClientAsk;
  readonly prechargeWei: bigint;
  readonly expectedWei: bigint;
  /** Time of the newest block that this process knows. */
  readonly headTimeSeconds: number;
}

/** A signature that is about to be given. */
export interface ReserveRequest extends OperationKey {
  readonly entryPoint: Address;
  readonly entryPointVersion: EntryPointVersion;
  readonly policyVersion: number;
  readonly mode: 'sponsored' | 'token';
  readonly prechargeWei: bigint;
  /**
   * What the operation is expected to cost; wei. The brake and the bounds on strangers count it. Default: the precharge.
   */
  readonly expectedWei?: bigint;
  /**
   * Absent: the request is not counted for a client, because it comes with a secret key or from a named server, and
   * names no user.
   */
  readonly client?: ClientAsk | undefined;
  readonly validUntilSeconds: number;
  /** Chain time, as this process knows it. */
  readonly nowSeconds: number;
  /**
   * Time of the newest block that this process knows; by default `nowSeconds`. It is lower if the chain stands still.
   */
  readonly headTimeSeconds?: number;
  readonly claims: readonly BudgetClaim[];
  /**
   * Other nonces of the sender that the chain has used, though settlement may not have seen it: what they hold of caps on
   * live signatures is not counted.
   */
  readonly landedNonces?: readonly bigint[];
  /**
   * True: events of this operation were written a moment ago. The ledger then writes an event only if the reservation
   * is new.
   */
  readonly isQuiet?: boolean;
  /** The client's deadline: afterwards nothing is held for this request; milliseconds of the monotonic clock. */
  readonly deadlineMs?: number;
  /** Written to the outbox in the same transaction; id, time and reservation are added by the ledger. */
  readonly event: Omit<GrantedEvent, 'eventId' | 'atMs' | 'reservationId'>;
}

/** Use of one budget, for explanations. */
export interface BudgetUse {
  readonly key: string;
  readonly usedAmount: bigint;
  /** The part of the use that the given operation itself holds. A repeated request adds only what is above that. */
  readonly heldAmount: bigint;
  readonly limit: bigint;
  readonly endsAtSeconds: number | null;
}

/** What a bundler did with an operation that a gateway of this installation has signed. */
export interface SentChange {
  /** `landed` and `unknown` end it without an event: settlement tells what landed. */
  readonly state: BundlerEvent['kind'] | 'landed' | 'unknown';
  readonly chainId: number;
  readonly userOpHash: Hex;
  /** Whose key sent it. */
  readonly paymasterId: string;
  /** The paymaster contract, and the funding wallet in it. */
  readonly contract: Address;
  readonly wallet: Address;
  readonly sender: Address;
  readonly nonce: bigint;
  readonly entryPointVersion: EntryPointVersion;
  /** The bundler that took it last, or that refused it. */
  readonly bundler: string;
  /** The bundlers that took it, in order. */
  readonly bundlers: readonly string[];
  /** Why, without URLs. */
  readonly message: string | null;
  /** No block before this block has the operation. */
  readonly sinceBlock: bigint;
  readonly validUntilSeconds: number;
  /** With `sent`: all that is needed to send it again. Absent: no other process goes on with it. */
  readonly operation?: string | undefined;
}

/** An operation that was sent by a process that has ended. */
export interface SentOperation extends Pick<
  SentChange,
  'chainId' | 'userOpHash' | 'paymasterId' | 'bundlers' | 'sinceBlock' | 'validUntilSeconds'
> {
  readonly operation: string;
}

/** How far the books of a chain go. */
export interface LedgerCursor {
  /** Time of the newest applied block. */
  readonly headTimeSeconds: number;
  /**
   * Seconds since settlement last confirmed that no provider names a newer block, by the database's clock; absent if it
   * never has.
   */
  readonly checkedSecondsAgo?: number;
  /** Why nothing is reserved on this chain, or null. */
  readonly haltedReason: string | null;
}

/** How a process uses its database. */
export interface LedgerUsage {
  /** Connections: open, without work, and calls that wait for a connection. */
  readonly pool: { readonly total: number; readonly idle: number; readonly waiting: number };
  /** Refusals since the start that were not recorded, because there were too many. */
  readonly droppedRefusals: number;
  /** Events of what bundlers did with operations that were not recorded, because there were too many. */
  readonly droppedSentChanges: number;
}

/** The ledger, as the gateway uses it. */
export interface Ledger {
  /**
   * Holds the precharge and every claim, all or nothing, durably. Call it right before signing.
   *
   * @returns the reservation's id
   * @throws {FundingWalletError} FUNDING_WALLET_BALANCE_TOO_LOW
   * @throws {BudgetRefusedError} with the reason of the claim that has no room
   * @throws {SpendingBrakeError} SPENDING_BRAKE
   * @throws {ClientBoundError} when the network of its client asks for too much
   * @throws {DependencyUnavailableError} `database` (down or too slow), or `ledger` (LEDGER_BEHIND)
   * @throws {RequestTimedOutError} when the request's `deadlineMs` came first
   */
  reserve(request: ReserveRequest): Promise<string>;

  /**
   * The other nonces of an operation's sender, wallet and paymaster that settlement has not seen land; at most sixteen.
   *
   * @throws {DependencyUnavailableError} `database`
   */
  openNonces(operation: OperationKey): Promise<readonly bigint[]>;

  /**
   * How much a wallet can still promise; wei, at most a second old. It does not check the cursor's age: {@link reserve}
   * does, because it knows the chain's time.
   *
   * @param operation its own hold counts as available to it. This needs a read that is not shared with other requests,
   *   so call it without an operation first
   * @throws {DependencyUnavailableError} `database`, or `ledger` when the chain has no cursor or is halted
   */
  availableWei(account: WalletAccount, operation?: PaymasterOperation): Promise<bigint>;

  /**
   * What the wallet can spend, in wei, at most a second old. Unlike in {@link availableWei}, what is held is not
   * subtracted; both come from the same read.
   *
   * @throws what {@link availableWei} throws
   */
  spendableWei(account: WalletAccount): Promise<bigint>;

  /**
   * Checks that the spending brake leaves enough for an operation; at most a second old. It does not refuse when
   * {@link reserve} would stop the paymaster: only the reservation can stop it and tell the owner.
   *
   * @param look.isExplained true: no reservation follows, so refuse in that case too
   * @throws {SpendingBrakeError} SPENDING_BRAKE
   * @throws {DependencyUnavailableError} `database`
   */
  assertBrakeLeaves(
    neededWei: bigint,
    operation: OperationKey,
    look?: { readonly isExplained?: boolean | undefined },
  ): Promise<void>;

  /**
   * Checks that the bounds on strangers leave room for an operation; at most a second old. Holds nothing.
   *
   * @throws {ClientBoundError} when {@link reserve} would be refused for its client's network
   * @throws {DependencyUnavailableError} `database`
   */
  assertNetworkLeaves(question: ClientQuestion): Promise<void>;

  /**
   * How far a chain's books go; undefined if the chain has no books. At most a second old.
   *
   * @throws {DependencyUnavailableError} `database`
   */
  cursor(chainId: number): Promise<LedgerCursor | undefined>;

  /**
   * Reads how much of each budget is used; holds nothing. A budget with an unknown key is unused. The limit of a share
   * is its current value.
   *
   * @param operation an operation whose own holds are reported separately, and whose shares of its wallet are computed.
   *   Without it the answer has no holds of an operation and no shares of a wallet
   */
  peek(claims: readonly BudgetClaim[], operation?: OperationKey): Promise<readonly BudgetUse[]>;

  /** Landed and reverted operations of the last minutes of chain time; at most a second old. */
  outcomes(query: {
    paymasterId: string;
    chainId: number;
    sinceSeconds: number;
  }): Promise<{ readonly landed: number; readonly reverted: number }>;

  /** Writes a refusal to the outbox, in the background. It is bounded: further refusals are dropped and counted. */
  recordRefusal(event: Omit<RefusedEvent, 'eventId' | 'atMs'>): void;

  /** Writes what a bundler did with an operation, in the background and bounded like refusals. */
  recordSent(change: SentChange): void;

  /**
   * Says that this process is alive, and takes over operations of processes that have ended. Call it every five seconds:
   * others take over the operations of a process that was silent for fifteen.
   *
   * @param chainIds chains on which this process can go on with them
   * @throws {DependencyUnavailableError} `database`
   */
  takeOverSent(chainIds: readonly number[], most: number): Promise<readonly SentOperation[]>;

  /**
   * Whether a process of this installation follows a sent operation, or gave it up within the hour; undefined: neither.
   *
   * @throws {DependencyUnavailableError} `database`
   */
  findSent(chainId: number, userOpHash: Hex): Promise<'followed' | 'dropped' | undefined>;

  /** Whether the database answers now. */
  isUp(): boolean;

  /** For metrics: the use of this process's connections, if it has any, and the refusals that were not recorded. */
  usage?(): LedgerUsage;

  close(): Promise<void>;
}
