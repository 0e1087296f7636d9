import type { Address, ChainEvent, EntryPointVersion, Hex } from '@paymaster/domain';
import type { Outbox } from './outbox';

/** The right to write for one chain, until another process gets a higher token. */
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
  /**
   * The last block in the books, if blocks between it and this block were left out (they have no events); else absent.
   */
  readonly after?: BlockRef;
}

/** Blocks that the books left out, because nothing of ours happened in them: those between two applied blocks. */
export interface LeftOutBlocks {
  /** The applied block before them. */
  readonly after: bigint;
  /** The applied block behind them. */
  readonly upTo: bigint;
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

/** The ledger, as settlement uses it. Every write throws {@link LeaseLostError} when the token is not the newest. */
export interface SettlementBooks {
  /**
   * Takes the lease if it is free or expired, and prolongs it if it is ours; by the database's clock.
   *
   * @param request `holder` is unique for each start of a process: two processes with one holder would share a token
   */
  acquireLease(request: { chainId: number; holder: string; ttlMs: number }): Promise<Lease | undefined>;
  releaseLease(lease: Lease, holder: string): Promise<void>;

  cursor(chainId: number): Promise<Cursor | undefined>;
  /**
   * Opens a chain's books at the block before its first event; that block counts as final. If the books are open
   * already, it changes nothing.
   */
  startAt(lease: Lease, block: BlockHeader): Promise<void>;
  /** The applied block with this number, to compare its hash with the chain's. */
  blockAt(chainId: number, number: bigint): Promise<BlockHeader | undefined>;
  /** The newest applied block that is not above this number. */
  newestBlockUpTo(chainId: number, number: bigint): Promise<BlockHeader | undefined>;
  /** The stretches of blocks above the final block that the books left out, oldest first. */
  leftOut(chainId: number): Promise<readonly LeftOutBlocks[]>;
  /** Whether no signature of the chain can still land, and no event of our contracts waits to be final. */
  isQuiet(chainId: number): Promise<boolean>;

  /**
   * Applies the blocks after the head, in one transaction. It skips a block that was applied before.
   *
   * @throws {DetachedBlockError} when the parent of a block is not the block before it in the books, or when the books
   *   have another block of the same number
   */
  applyBlocks(lease: Lease, blocks: readonly AppliedBlock[]): Promise<void>;
  /** Notes that no provider names a block newer than the head: the chain stands still, and settlement is not behind. */
  confirmHead(lease: Lease, head: BlockRef): Promise<void>;
  /** Undoes the blocks above `number`, newest first. Never below the final block. */
  unwindTo(lease: Lease, number: bigint): Promise<void>;
  /**
   * Makes everything up to the block final: settles operations that landed, credits deposits, and voids reservations
   * that expired or whose nonce another operation used. Uses several transactions if there is much to do; if it is
   * interrupted, the next call continues.
   *
   * @throws {DetachedBlockError} when another block is applied at that number
   * @throws {BooksBrokenError} when a wallet would have less than nothing
   */
  finalize(lease: Lease, block: BlockRef): Promise<void>;
  /**
   * Wallets of a contract whose withdrawal request was due before that time, or whose due time is not known. The caller
   * has to ask the chain whether the request is void.
   */
  requestsToAsk(asked: RequestsAsked): Promise<readonly Address[]>;
  /**
   * Notes what a contract says of requests at the final block. Requests that are void no longer count. If another block
   * has become final meanwhile, it changes nothing.
   */
  noteRequests(lease: Lease, said: RequestsSaid): Promise<void>;
  /** Stops reservations on the chain, with a reason for the operator. */
  halt(lease: Lease, reason: string): Promise<void>;
  resume(lease: Lease): Promise<void>;
  /** Deletes what is no longer needed, in bounded steps: old final blocks with their events, and published events. */
  prune(lease: Lease, keep: Retention): Promise<void>;

  /** Rebuilds all balances from entries and open holds. @returns the differences; none when the books are right */
  verifyBooks(): Promise<readonly Finding[]>;
  /** Balances of all wallets of a chain as of its final block. */
  finalBalances(chainId: number): Promise<readonly FinalBalance[]>;
  /**
   * Final operations that were to pay by `batchApproval` and whose `postOp` was undone: of each wallet's account the
   * newest first, at most 200. The books do not know what the contract's owner has stated of them.
   */
  unsettledOperations(chainId: number): Promise<readonly UnsettledOperation[]>;
  recordReconciliation(request: { chainId: number; blockNumber: bigint; findings: readonly Finding[] }): Promise<void>;

  /** The events to publish, of all chains. */
  readonly outbox: Outbox;
  /** Closes the connections, unless the caller owns the pool. */
  close(): Promise<void>;
}

export interface RequestsAsked {
  readonly chainId: number;
  readonly contract: Address;
  readonly dueBeforeSeconds: number;
  /** The most wallets to return. */
  readonly limit: number;
}

export interface RequestsSaid {
  /** The block at whose end the contract was asked. */
  readonly block: BlockRef;
  readonly contract: Address;
  readonly requests: readonly WithdrawalRequest[];
}

/** What a contract says of a wallet's withdrawal request. */
export interface WithdrawalRequest {
  readonly wallet: Address;
  /** When the request is due; unix seconds. */
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
  /** What operations under way hold of the balance now. */
  readonly heldWei: bigint;
}

/** An operation whose whole precharge the contract kept, because its `postOp` was undone. */
export interface UnsettledOperation {
  readonly contract: Address;
  readonly wallet: Address;
  readonly userOpHash: Hex;
  readonly transactionHash: Hex;
  readonly entryPoint: Address;
  readonly entryPointVersion: EntryPointVersion;
  readonly sender: Address;
  readonly nonce: bigint;
  readonly blockNumber: bigint;
  /** Its precharge. */
  readonly chargedWei: bigint;
  /** What the EntryPoint took. */
  readonly actualGasCostWei: bigint;
}

/** What {@link SettlementBooks.prune} keeps. */
export interface Retention {
  /** Blocks below the final one; at least the reorg window. */
  readonly blocks: number;
  /** How long published events are kept, from which the event stream can be filled again. */
  readonly outboxDays: number;
}

/** Another process is the leader of this chain now. */
export class LeaseLostError extends Error {}

/** The block's parent is not the block that was applied before it. */
export class DetachedBlockError extends Error {}

/** The chain contradicts the books. The caller halts the chain, and an operator has to find out why. */
export class BooksBrokenError extends Error {}
