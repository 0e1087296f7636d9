import type { Address, ChainEvent, Hex } from '@paymaster/domain';
import type { Outbox } from './outbox';

/** The right to write for one chain, until somebody else gets a higher token. */
export interface Lease {
  readonly chainId: number;
  readonly token: bigint;
}

export interface BlockRef {
  readonly number: bigint;
  readonly hash: Hex;
}

export interface TimedBlockRef extends BlockRef {
  readonly timeSeconds: number;
}

export interface BlockHeader extends TimedBlockRef {
  readonly parentHash: Hex;
}

/** A block with everything in it that concerns the ledger, in order of log index. */
export interface AppliedBlock {
  readonly block: BlockHeader;
  readonly events: readonly ChainEvent[];
}

/** How far a chain's books go. */
export interface Cursor {
  readonly head: TimedBlockRef;
  readonly final: TimedBlockRef;
  /** Why nothing is reserved on this chain, or null. */
  readonly haltedReason: string | null;
}

/** One difference between entries and balances, or between ledger and chain. */
export interface Finding {
  readonly what: string;
  readonly expected: string;
  readonly found: string;
}

/** What settlement does with the ledger. Every write throws {@link LeaseLostError} when the token is not the newest. */
export interface SettlementBooks {
  /**
   * The lease if it is free, expired or ours (then it is prolonged); by the database's clock.
   *
   * @param request `holder` names one start of one process: two that share a name would share a token
   */
  acquireLease(request: { chainId: number; holder: string; ttlMs: number }): Promise<Lease | undefined>;
  releaseLease(lease: Lease, holder: string): Promise<void>;

  cursor(chainId: number): Promise<Cursor | undefined>;
  /** Opens a chain's books at the block before its first event, which counts as final. Open already: changes nothing. */
  startAt(lease: Lease, block: BlockHeader): Promise<void>;
  /** An applied block, for continuity. */
  blockAt(chainId: number, number: bigint): Promise<BlockHeader | undefined>;

  /**
   * Applies the blocks after the head, in one transaction. A block that is applied already changes nothing.
   *
   * @throws {DetachedBlockError} when a parent is not the block before it, or another block is applied at its number
   */
  applyBlocks(lease: Lease, blocks: readonly AppliedBlock[]): Promise<void>;
  /** Says that the head is the newest block that anybody names: the chain stands still, settlement does not. */
  confirmHead(lease: Lease, head: BlockRef): Promise<void>;
  /** Undoes the blocks above `number`, newest first. Never below the final block. */
  unwindTo(lease: Lease, number: bigint): Promise<void>;
  /**
   * Makes everything up to the block final: settles, credits, voids other holds of used nonces and expired ones.
   * In several transactions where there is much; interrupted, the next call goes on.
   *
   * @throws {DetachedBlockError} when another block is applied at that number
   * @throws {BooksBrokenError} when a wallet would have less than nothing
   */
  finalize(lease: Lease, block: BlockRef): Promise<void>;
  /**
   * Wallets of a contract whose withdrawal request was due by that time, as far as anybody knows, so that the chain has
   * to be asked whether it is void.
   */
  requestsToAsk(asked: RequestsAsked): Promise<readonly Address[]>;
  /**
   * Notes what a contract says of requests at the final block, and counts those no more that are void there. When
   * another block is final by now, nothing changes.
   */
  noteRequests(lease: Lease, said: RequestsSaid): Promise<void>;
  /** Stops reservations on the chain, with a reason for the operator. */
  halt(lease: Lease, reason: string): Promise<void>;
  resume(lease: Lease): Promise<void>;
  /** Removes what nobody needs any more, in bounded steps: old final blocks with their events, published events. */
  prune(lease: Lease, keep: Retention): Promise<void>;

  /** Rebuilds all balances from entries and open holds. Empty when the books are right. */
  verifyBooks(): Promise<readonly Finding[]>;
  /** Balances of all wallets of a chain as of its final block. */
  finalBalances(chainId: number): Promise<readonly FinalBalance[]>;
  recordReconciliation(request: { chainId: number; blockNumber: bigint; findings: readonly Finding[] }): Promise<void>;

  /** The events to publish, of all chains. */
  readonly outbox: Outbox;
  /** Closes the connections, when they are its own. */
  close(): Promise<void>;
}

export interface RequestsAsked {
  readonly chainId: number;
  readonly contract: Address;
  readonly dueBeforeSeconds: number;
  /** At most so many wallets. */
  readonly limit: number;
}

export interface RequestsSaid {
  /** At whose end the contract said it. */
  readonly block: BlockRef;
  readonly contract: Address;
  readonly requests: readonly WithdrawalRequest[];
}

/** What a contract says of a wallet's withdrawal request. */
export interface WithdrawalRequest {
  readonly wallet: Address;
  /** Unix time. */
  readonly dueAtSeconds: number;
  /** Whether no later block can execute it. */
  readonly isVoid: boolean;
}

/** A wallet's account in one contract. */
export interface FinalBalance {
  readonly contract: Address;
  readonly wallet: Address;
  /** As of the final block. */
  readonly balanceWei: bigint;
  /** What operations under way hold of it, now. */
  readonly heldWei: bigint;
}

/** What {@link SettlementBooks.prune} leaves. */
export interface Retention {
  /** Blocks below the final one; at least the reorg window. */
  readonly blocks: number;
  /** How far back the event stream can be filled again. */
  readonly outboxDays: number;
}

/** Somebody else leads this chain now. */
export class LeaseLostError extends Error {}

/** The block's parent is not the block that was applied before it. */
export class DetachedBlockError extends Error {}

/** The chain says something that the books make impossible: halt the chain, and let an operator look. */
export class BooksBrokenError extends Error {}
