import type { ContractNotice } from '@paymaster/chain';
import type { Address, Hex } from '@paymaster/domain';
import {
  BooksBrokenError,
  DetachedBlockError,
  LeaseLostError,
  type BlockHeader,
  type Cursor,
  type Lease,
  type SettlementBooks,
  type TimedBlockRef,
} from '@paymaster/ledger/settlement';
import { NO_SPAN, type Span } from '@paymaster/tracing';
import type { ChainSource } from './chain-source';
import type { LeaseKeeper } from './lease-keeper';
import { findMeetingBlock, type Meeting } from './meeting-block';
import type { RangeSize } from './range-size';
import { VoidWithdrawals } from './void-withdrawals';

/** What a follower is at the moment. */
export type FollowerState = 'standby' | 'leader' | 'halted';

/** The result of one step. */
export interface Step {
  readonly state: FollowerState;
  /** How far the books go; undefined before they are opened. */
  readonly cursor: Cursor | undefined;
  /** The node's head, where it was asked. */
  readonly nodeHead?: BlockHeader;
  /** Whether the books reach the newest block that any provider names. */
  readonly isUpToDate?: boolean;
  /** Whether the chain has more blocks than the step applied, so that the next step should follow at once. */
  readonly hasMore: boolean;
  /** Whether no signed operation can still land, so that the next step may wait. */
  readonly isQuiet?: boolean;
}

/** Called for what happens during steps, to write log lines and metrics. */
export interface FollowerEvents {
  /**
   * Blocks that were left out as quiet have events of our contracts, or could not be confirmed. They are read one by
   * one now.
   */
  missed(stretch: { readonly aboveNumber: bigint }): void;
  reorganized(reorg: { readonly undoneBlocks: number; readonly toNumber: bigint }): void;
  halted(reason: string): void;
  leaseLost(): void;
  /** Called before the block is applied, and again when that failed and the next step tries it. */
  noticed(notice: ContractNotice, block: BlockHeader): void;
  /** The chain could not be asked which withdrawal requests are void. The next step asks again. */
  requestsUnread(error: unknown): void;
}

export interface ChainFollowerOptions {
  readonly chainId: number;
  readonly books: SettlementBooks;
  readonly source: ChainSource;
  readonly lease: LeaseKeeper;
  readonly events: FollowerEvents;
  /** The first block that can hold events of our contracts. The books open at the block before it. */
  readonly startBlock: bigint;
  readonly windowBlocks: number;
  /**
   * Whether blocks may be left out while no reservation is open and providers prove that our contracts had no events in
   * them.
   */
  readonly skipsQuietBlocks: boolean;
  /** Our contracts on the chain. */
  readonly contracts: readonly Address[];
  /** How many blocks a step applies while settlement catches up. */
  readonly range: RangeSize;
  /**
   * While no provider names another head, steps within this time after a whole step read the head alone. Much shorter
   * than the lease, because such a step does not renew it. Milliseconds; 0: every step is a whole one.
   */
  readonly stillMs: number;
}

/** How often the follower writes that the head is still the newest block; milliseconds. */
const CONFIRM_INTERVAL_MS = 10_000;
/** How often the follower asks for the final block while nothing waits to be final; milliseconds. */
const QUIET_FINAL_INTERVAL_MS = 10_000;

/** Keeps the books of one chain up to date. All that must survive a step is in the books. */
export class ChainFollower {
  private confirmedMs = -Infinity;
  private withdrawalsEndedAt: Hex | undefined;
  private lastFinal: { readonly block: BlockHeader; readonly atMs: number } | undefined;
  /** The last step as leader that left nothing to do. */
  private lastStep: { readonly step: Step; readonly head: BlockHeader; readonly atMs: number } | undefined;
  /** The token of the lease under which the source was last told which blocks the books left out. */
  private heardToken: bigint | undefined;
  private readonly voidWithdrawals: VoidWithdrawals;

  constructor(private readonly options: ChainFollowerOptions) {
    this.voidWithdrawals = new VoidWithdrawals(options.books, options.source, options.contracts);
  }

  /**
   * One step: hold the lease, find the newest block that the books and the chain share, undo what the chain undid,
   * apply what is new, settle what is final. If there are many new blocks, the step applies one range of them.
   *
   * @param span what happens is a part of it
   * @throws the errors of the chain and the database; the next step starts anew
   */
  async step(span: Span = NO_SPAN): Promise<Step> {
    const startedMs = performance.now();
    const { lastStep } = this;
    this.lastStep = undefined;
    try {
      const isRecent = lastStep && startedMs - lastStep.atMs < this.options.stillMs;
      const head = isRecent ? await span.call('read head').until(this.options.source.head()) : undefined;
      if (lastStep && head?.hash === lastStep.head.hash && this.options.source.isNewest(head)) {
        this.lastStep = lastStep;
        return lastStep.step;
      }
      const step = await this.stepAsLeader(span, head);
      span.set('outcome', step.state);
      if (step.isUpToDate && !step.hasMore && step.nodeHead) {
        this.lastStep = { step, head: step.nodeHead, atMs: startedMs };
      }
      return step;
    } catch (error) {
      if (error instanceof LeaseLostError) {
        this.options.lease.lost();
        this.options.events.leaseLost();
        return { state: 'standby', cursor: undefined, hasMore: false };
      }
      // The chain changed between two reads. The next step reads it again.
      if (error instanceof DetachedBlockError) return { state: 'leader', cursor: undefined, hasMore: false };
      throw error;
    } finally {
      this.options.range.took(performance.now() - startedMs);
    }
  }

  /** Removes old blocks and published events, if this process leads. */
  async prune(outboxDays: number): Promise<void> {
    const { books, lease, windowBlocks } = this.options;
    const held = lease.current;
    if (held) await books.prune(held, { blocks: 2 * windowBlocks, outboxDays });
  }

  /** Releases the lease, so that a standby can take it at once. */
  async stop(): Promise<void> {
    await this.options.lease.release();
  }

  /** @param read the head, where it was read a moment ago */
  private async stepAsLeader(span: Span, read: BlockHeader | undefined): Promise<Step> {
    const { chainId, books, source, lease: keeper, events, windowBlocks } = this.options;
    const standing = await books.cursor(chainId);
    if (standing?.haltedReason != null) return this.standAside(standing);
    const lease = await span.child('hold lease').until(keeper.hold());
    if (!lease) return { state: 'standby', cursor: standing, hasMore: false };

    if (lease.token !== this.heardToken) {
      source.doubt(await books.leftOut(chainId));
      this.heardToken = lease.token;
    }
    const cursor = (await books.cursor(chainId)) ?? (await this.openBooks(lease));
    if (cursor.haltedReason != null) return this.standAside(cursor);
    const head = read ?? (await span.call('read head').until(source.head()));
    // Asked after the head was read, because an operation that is signed from now on cannot land in the head or below.
    const isQuiet = this.options.skipsQuietBlocks && (await books.isQuiet(chainId));
    const known = isQuiet ? this.recentFinal() : undefined;
    // Read before the blocks, because blocks up to the final block do not change any more.
    let final = known ?? (await span.call('read final').until(this.readFinal()));
    // At most half a window is left out, so that the window of a reorganisation always contains blocks of the books.
    const mayBeQuiet = isQuiet && head.number <= cursor.head.number + BigInt(windowBlocks) / 2n;
    const stretch = await span
      .child('look for events')
      .until(source.stretch({ after: cursor.head, upTo: head, mayBeQuiet }));
    if (stretch.kind === 'missed') return await this.readAgain(lease, stretch.above);
    if (stretch.kind === 'quiet') await books.applyBlocks(lease, [{ block: head, after: cursor.head, events: [] }]);
    else if (known) final = await span.call('read final').until(this.readFinal());
    const meeting: Meeting =
      stretch.kind === 'quiet'
        ? { kind: 'continues', block: head }
        : await span
            .child('find meeting block')
            .until(findMeetingBlock({ chainId, books, source, cursor, head, windowBlocks }));
    if (stretch.kind === 'unproven' && meeting.kind === 'continues') {
      const missed = await source.lookBack();
      if (missed) return await this.readAgain(lease, missed.above);
    }
    switch (meeting.kind) {
      case 'tooDeep':
        return this.halt(lease, { cursor, reason: meeting.reason });
      case 'forked':
        await span.child('undo').until(books.unwindTo(lease, meeting.block.number));
        events.reorganized({ undoneBlocks: meeting.undoneBlocks, toNumber: meeting.block.number });
        await span.child('apply').until(this.apply(lease, meeting.block.number, head));
        break;
      case 'continues':
        await span.child('apply').until(this.apply(lease, meeting.block.number, head));
        break;
      case 'nodeIsBehind':
        break;
    }
    try {
      // It is not known whether the node still has the blocks above this number.
      const comparedUpTo = meeting.kind === 'nodeIsBehind' ? (meeting.block ?? cursor.final).number : head.number;
      await span.child('settle').until(this.settle(lease, final, comparedUpTo));
    } catch (error) {
      if (error instanceof BooksBrokenError) return this.halt(lease, { cursor, reason: error.message });
      throw error;
    }

    const reached = await books.cursor(chainId);
    const isUpToDate = reached?.head.hash === head.hash && source.isNewest(head);
    if (isUpToDate) await this.confirm(lease, head);
    const hasMore = reached !== undefined && reached.head.number < head.number;
    // While settlement catches up it asks the contracts nothing: providers have forgotten the state of such old blocks.
    if (reached && !hasMore) await span.child('end withdrawals').until(this.endWithdrawals(lease, reached.final));
    return { state: 'leader', cursor: reached, nodeHead: head, isUpToDate, hasMore, isQuiet };
  }

  /** Undoes blocks that were left out as quiet, so that the next step reads them one by one. */
  private async readAgain(lease: Lease, aboveNumber: bigint): Promise<Step> {
    const { chainId, books, events } = this.options;
    events.missed({ aboveNumber });
    await books.unwindTo(lease, aboveNumber);
    return { state: 'leader', cursor: await books.cursor(chainId), hasMore: true };
  }

  private recentFinal(): BlockHeader | undefined {
    const { lastFinal } = this;
    return lastFinal && performance.now() - lastFinal.atMs < QUIET_FINAL_INTERVAL_MS ? lastFinal.block : undefined;
  }

  private async readFinal(): Promise<BlockHeader> {
    const block = await this.options.source.final();
    this.lastFinal = { block, atMs: performance.now() };
    return block;
  }

  /** While this fails, void requests still count as requested. So the wallet can spend less than it has, never more. */
  private async endWithdrawals(lease: Lease, final: TimedBlockRef): Promise<void> {
    if (final.hash === this.withdrawalsEndedAt) return;
    try {
      await this.voidWithdrawals.end(lease, final);
      this.withdrawalsEndedAt = final.hash;
    } catch (error) {
      if (error instanceof LeaseLostError) throw error;
      this.options.events.requestsUnread(error);
    }
  }

  private async halt(lease: Lease, { cursor, reason }: { cursor: Cursor; reason: string }): Promise<Step> {
    await this.options.books.halt(lease, reason);
    this.options.events.halted(reason);
    return this.standAside({ ...cursor, haltedReason: reason });
  }

  /** A halted chain has no leader, so that the operator's command can take the lease. */
  private async standAside(cursor: Cursor): Promise<Step> {
    await this.options.lease.release();
    return { state: 'halted', cursor, hasMore: false };
  }

  private async openBooks(lease: Lease): Promise<Cursor> {
    const { chainId, books, source, startBlock } = this.options;
    const before = startBlock > 0n ? startBlock - 1n : 0n;
    const block = await source.header(before);
    if (!block) throw new Error(`chain ${chainId} has no block ${before} yet, at which its books would open`);
    await books.startAt(lease, block);
    return { head: block, final: block, haltedReason: null };
  }

  /**
   * Without this note, the gateway cannot tell a chain that stands still from a chain that settlement no longer
   * follows.
   */
  private async confirm(lease: Lease, head: BlockHeader): Promise<void> {
    if (performance.now() - this.confirmedMs < CONFIRM_INTERVAL_MS) return;
    await this.options.books.confirmHead(lease, head);
    this.confirmedMs = performance.now();
  }

  private async apply(lease: Lease, after: bigint, head: BlockHeader): Promise<void> {
    const { books, source, range, events } = this.options;
    if (head.number <= after) return;
    const rangeEnd = after + BigInt(range.current);
    const to = head.number < rangeEnd ? head.number : rangeEnd;
    const blocks = await source.blocks(after + 1n, to);
    for (const { block, notices } of blocks) for (const notice of notices) events.noticed(notice, block);
    await books.applyBlocks(lease, blocks);
  }

  private async settle(lease: Lease, final: BlockHeader, comparedUpTo: bigint): Promise<void> {
    const { chainId, books, source } = this.options;
    const cursor = await books.cursor(chainId);
    if (!cursor) return;
    const bounds = [final.number, cursor.head.number, comparedUpTo, source.certainUpTo() ?? final.number];
    const number = bounds.reduce((least, bound) => (bound < least ? bound : least));
    if (number <= cursor.final.number) return;
    // The books may have left this block out. Then the newest block before it becomes final.
    const ours = await books.newestBlockUpTo(chainId, number);
    if (!ours || ours.number <= cursor.final.number) return;
    // The chain's final block is not the block of that number in the books. The next step undoes ours, or halts.
    if (ours.number === final.number && ours.hash !== final.hash) return;
    await books.finalize(lease, ours);
  }
}
