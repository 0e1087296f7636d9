import type { Block, ChainConfig, ChainHead, ChainProvider } from '@paymaster/chain';
import type { TokenExposure } from './token-exposure';
import { TokenPaymentLogs, type TokenPaidOperation } from './token-payment-logs';

/** A payment counts as made when this many blocks, and this much time, came on top of it. */
const MIN_CONFIRMATIONS = 5;
const MIN_CONFIRMATION_SECONDS = 15;
/** Blocks in one question; halved when the node refuses, and then grown again slowly. */
const MAX_SPAN = 200n;
/** Questions in one round: after a long outage the rest waits for the next. */
const MAX_RANGES_PER_ROUND = 20;
/** Rounds in which one block could not be read while the head could; then the block is left out. */
const MAX_TRIES_OF_BLOCK = 5;
const ROUND_MS = 1_000;
const ROUND_AFTER_FAULT_MS = 5_000;

export interface TokenPaymentWatcherOptions {
  /** Hears why a round failed; the next one tries again. */
  readonly onFault?: (error: unknown) => void;
  /** Hears of every operation that this process signed and that was not paid for. */
  readonly onDue?: (operation: TokenPaidOperation & { readonly dueWei: bigint }) => void;
}

/**
 * Tells {@link TokenExposure} what became of `batchApproval` operations: one per chain, started with the process.
 *
 * While operations are live it reads the logs of every new head; while none are it asks nobody. Blocks are read
 * without a gap, at least once after they were confirmed:
 * - Paid: released only when confirmed, so that a reorganisation can't turn what was released into a due.
 * - Due: counted at once, and kept even if its block vanishes: too careful, never too generous.
 * - Expired: when everything up to a confirmed block of a later time has been read.
 * A node that fails, or that is too far behind, only delays all of this; meanwhile everything stays held. One confirmed
 * block that stays unreadable while the head is readable is left out, loudly: it must not stop the rest for ever. What
 * landed in it expires without a verdict, at most what was held, which is at most the caps. To count it all as due
 * would let one broken block of a node end this way of paying until the next start, for people who had paid. Beyond a
 * reorganisation of more than the confirmations (5 blocks, and 15 seconds of blocks) an operation that had paid and
 * now does not would go uncounted.
 */
export class TokenPaymentWatcher {
  private readonly logs: TokenPaymentLogs;
  private readonly confirmations: bigint;
  private readonly onFault: (error: unknown) => void;
  private readonly onDue: NonNullable<TokenPaymentWatcherOptions['onDue']>;
  /** The last block that need not be read again. */
  private readTo: bigint | undefined;
  /** The head up to which everything was read, some of it to be read again. */
  private readHead: bigint | undefined;
  /** A head that is to be confirmed; then its time is a time up to which everything was read. */
  private checkpoint: Block | undefined;
  private span = MAX_SPAN;
  /** The block at which reading stopped, and how often while the head could be read. */
  private stuck: { readonly block: bigint; readonly tries: number } | undefined;
  private timer: NodeJS.Timeout | undefined;
  private running = false;

  /**
   * @param provider one of its own, not the one that requests wait for: nodes refuse log ranges for many reasons, and
   *   its breakers would close that one too
   */
  constructor(
    private readonly exposure: TokenExposure,
    private readonly head: Pick<ChainHead, 'latest' | 'ageSeconds'>,
    provider: Pick<ChainProvider, 'logs'>,
    chain: Pick<ChainConfig, 'entryPoints' | 'blockTimeSeconds'>,
    { onFault = () => undefined, onDue = () => undefined }: TokenPaymentWatcherOptions = {},
  ) {
    this.logs = new TokenPaymentLogs(provider, Object.values(chain.entryPoints));
    const blocks = Math.ceil(MIN_CONFIRMATION_SECONDS / chain.blockTimeSeconds);
    this.confirmations = BigInt(Math.max(MIN_CONFIRMATIONS, blocks));
    this.onFault = onFault;
    this.onDue = onDue;
  }

  /** Watches from now on, until {@link stop}. */
  start(): void {
    if (this.running) return;
    this.running = true;
    void this.roundAndSchedule();
  }

  stop(): void {
    this.running = false;
    clearTimeout(this.timer);
  }

  /** One round: reads what is new up to the head. The background does this. @throws what reading the chain throws */
  async catchUp(): Promise<void> {
    const hasHead = this.head.ageSeconds() < Infinity;
    if (!hasHead) return;
    const head = this.head.latest();
    const confirmed = head.number - this.confirmations;
    if (this.exposure.liveOperations === 0) {
      // Nothing signed so far can be unpaid, and what is signed next lands above this.
      this.readTo = confirmed;
      this.checkpoint = undefined;
      return;
    }
    if (head.number === this.readHead) return;
    this.checkpoint ??= head;
    // No round came before: whatever is live was signed since the process started, moments ago.
    this.readTo ??= confirmed - this.confirmations;
    if (await this.readUpTo({ head: head.number, confirmed })) this.readHead = head.number;
    if (this.checkpoint.number > this.readTo) return;
    this.exposure.expire(this.checkpoint.timestampSeconds);
    this.checkpoint = undefined;
  }

  /** @returns whether the head was reached */
  private async readUpTo({ head, confirmed }: { head: bigint; confirmed: bigint }): Promise<boolean> {
    let fromBlock = max(0n, (this.readTo ?? 0n) + 1n);
    for (let ranges = 0; ranges < MAX_RANGES_PER_ROUND && fromBlock <= head; ranges++) {
      const toBlock = min(head, fromBlock + this.span - 1n);
      if (this.stuck?.block === fromBlock) await this.logs.read({ fromBlock: head, toBlock: head });
      this.settle(await this.readRange({ fromBlock, toBlock }, confirmed), confirmed);
      this.readTo = max(this.readTo ?? 0n, min(toBlock, confirmed));
      fromBlock = toBlock + 1n;
    }
    return fromBlock > head;
  }

  private async readRange(
    blocks: { fromBlock: bigint; toBlock: bigint },
    confirmed: bigint,
  ): Promise<readonly TokenPaidOperation[]> {
    try {
      const operations = await this.logs.read(blocks);
      this.span = min(MAX_SPAN, this.span + 1n);
      this.stuck = undefined;
      return operations;
    } catch (error) {
      this.span = max(1n, this.span / 2n);
      const { fromBlock: block, toBlock } = blocks;
      if (block !== toBlock || block > confirmed) throw error;
      // The first time nobody knows yet whether the head can be read.
      this.stuck = { block, tries: this.stuck?.block === block ? this.stuck.tries + 1 : 0 };
      if (this.stuck.tries < MAX_TRIES_OF_BLOCK) throw error;
      this.stuck = undefined;
      this.onFault(new Error(`payments in tokens of block ${block} cannot be read and are left out`, { cause: error }));
      return [];
    }
  }

  private settle(operations: readonly TokenPaidOperation[], confirmed: bigint): void {
    for (const operation of operations) {
      if (operation.payment === 'paid') {
        if (operation.blockNumber <= confirmed) this.exposure.paid(operation);
        continue;
      }
      const due = this.exposure.due({ ...operation, tokenTaken: operation.payment === 'taken' });
      if (due) this.onDue({ ...operation, ...due });
    }
  }

  private async roundAndSchedule(): Promise<void> {
    let waitMs = ROUND_MS;
    try {
      await this.catchUp();
    } catch (error) {
      waitMs = ROUND_AFTER_FAULT_MS;
      this.onFault(error);
    }
    if (!this.running) return;
    this.timer = setTimeout(() => void this.roundAndSchedule(), waitMs);
    this.timer.unref();
  }
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
