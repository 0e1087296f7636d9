import type { Address } from '@paymaster/domain';
import { DetachedBlockError, LeaseLostError, type AppliedBlock, type Lease } from '../settlement-books';
import { CHAIN_ID, GENESIS, type BooksUnderTest } from './books-under-test';
import { accountKey, type ModelChain } from './model-chain';
import type { Random } from './random';

/** Blocks deeper than this are final in the model. */
export const REORG_WINDOW = 12;

/** Follows the model chain with the real books: late, twice, and with leaders that sleep. */
export class SimulatedSettlement {
  leaders = 1;
  private lease: Lease;
  private readonly under: BooksUnderTest;
  private readonly chain: ModelChain;
  private readonly random: Random;

  constructor(parts: { under: BooksUnderTest; chain: ModelChain; random: Random }) {
    this.under = parts.under;
    this.chain = parts.chain;
    this.random = parts.random;
    this.lease = parts.under.lease;
  }

  /** One round: it randomly follows the chain, finalizes, or loses the lease. */
  async doSomething(): Promise<void> {
    if (this.random.chance(0.03)) await this.changeLeader();
    if (this.random.chance(0.8)) await this.follow(this.random.int(1, 20));
    if (this.random.chance(0.5)) await this.finalize();
  }

  /** Brings the books to the chain's head, and makes it final. */
  async finish(): Promise<void> {
    await this.follow(Number.MAX_SAFE_INTEGER);
    await this.under.books.finalize(this.lease, this.chain.head);
  }

  /** Unwinds to the last common block, then applies the next ones, now and then twice. */
  private async follow(limit: number): Promise<void> {
    const { books } = this.under;
    const head = (await books.cursor(CHAIN_ID))!.head.number;
    let common = head;
    while ((await books.blockAt(CHAIN_ID, common))?.hash !== this.chain.blockAt(common)?.block.hash) common--;
    if (common < head) await books.unwindTo(this.lease, common);
    const blocks: AppliedBlock[] = [];
    for (let number = common + 1n; number <= this.chain.head.number && blocks.length < limit; number++) {
      blocks.push(this.chain.blockAt(number)!);
    }
    await books.applyBlocks(this.lease, blocks);
    if (this.random.chance(0.2)) await books.applyBlocks(this.lease, blocks);
  }

  private async finalize(): Promise<void> {
    const { books } = this.under;
    const { head, final } = (await books.cursor(CHAIN_ID))!;
    const deepest = this.chain.head.number - BigInt(REORG_WINDOW);
    const target = deepest < head.number ? deepest : head.number;
    if (target <= final.number) return;
    try {
      await books.finalize(this.lease, this.chain.blockAt(target)!.block);
    } catch (error) {
      // The books are still on the other fork: the next round unwinds.
      if (!(error instanceof DetachedBlockError)) throw error;
    }
  }

  /** Every wallet is what the chain says of the final block, and what is not final lowers it. */
  async compareWallets(): Promise<void> {
    const { head, final } = (await this.under.books.cursor(CHAIN_ID))!;
    const isOnFork = this.chain.blockAt(head.number)?.block.hash !== head.hash;
    if (isOnFork) return;
    const { rows } = await this.under.pool.query<Record<string, string>>('SELECT * FROM ledger.wallets');
    for (const row of rows) {
      const account = { contract: row['contract'] as Address, wallet: row['wallet'] as Address };
      const { balanceWei, requestedWei } = this.chain.walletAt(final.number, account);
      const spendableWei = this.leastLeft(account, { after: final.number, upTo: head.number });
      const found = [row['balance_wei'], row['requested_wei'], row['spendable_wei']].join();
      const expected = [balanceWei, requestedWei, spendableWei].join();
      if (found !== expected) throw new Error(`${accountKey(account)} is ${found}, on the chain ${expected}.`);
    }
  }

  /**
   * The rule of docs/architecture/ledger.md, computed from the model: of blocks that are not final only requests and
   * withdrawals count.
   */
  private leastLeft(account: { contract: Address; wallet: Address }, range: { after: bigint; upTo: bigint }): bigint {
    let { balanceWei, requestedWei } = this.chain.walletAt(range.after, account);
    const left = [balanceWei - requestedWei];
    for (let number = range.after + 1n; number <= range.upTo; number++) {
      for (const event of this.chain.blockAt(number)!.events) {
        if (event.kind === 'nonceUsed' || accountKey(event) !== accountKey(account)) continue;
        if (event.kind === 'withdrawalRequested') requestedWei = event.amountWei;
        if (event.kind === 'withdrawalExecuted') [balanceWei, requestedWei] = [balanceWei - event.amountWei, 0n];
        left.push(balanceWei - requestedWei);
      }
    }
    const least = left.reduce((lowest, next) => (next < lowest ? next : lowest));
    return least > 0n ? least : 0n;
  }

  /** The old leader slept, wakes up, and must not write. */
  private async changeLeader(): Promise<void> {
    const { books, pool } = this.under;
    const slept = this.lease;
    await pool.query(`UPDATE ledger.leases SET expires_at = now() - interval '1 second'`);
    const holder = `leader ${++this.leaders}`;
    const lease = await books.acquireLease({ chainId: CHAIN_ID, holder, ttlMs: 60_000 });
    if (!lease) throw new Error('An expired lease was not given away.');
    this.lease = lease;
    const writes = [
      books.applyBlocks(slept, [this.chain.blockAt(this.chain.head.number)!]),
      books.unwindTo(slept, GENESIS.number),
      books.finalize(slept, this.chain.head),
    ];
    for (const outcome of await Promise.allSettled(writes)) {
      if (outcome.status === 'rejected' && outcome.reason instanceof LeaseLostError) continue;
      throw new Error('A leader that lost its lease was let write.');
    }
  }
}
