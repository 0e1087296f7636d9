import type { Hex } from '@paymaster/domain';
import { CHAIN_ID, GENESIS, openBooksUnderTest, type BooksUnderTest } from './books-under-test';
import { ModelChain } from './model-chain';
import { CONTRACT, WALLET } from './reserve-request';

export const ACCOUNT = { contract: CONTRACT, wallet: WALLET };

/** A model chain with one wallet, and the real books that follow it when told. Amounts as numbers, to read them easily. */
export class OneWallet {
  readonly chain = new ModelChain(GENESIS);

  private constructor(readonly under: BooksUnderTest) {}

  static async open(postgresUrl: string): Promise<OneWallet> {
    return new OneWallet(await openBooksUnderTest(postgresUrl));
  }

  /** Brings the books to the chain's head. */
  async follow(): Promise<void> {
    const { head } = (await this.under.books.cursor(CHAIN_ID))!;
    const blocks = [];
    for (let number = head.number + 1n; number <= this.chain.head.number; number++) {
      blocks.push(this.chain.blockAt(number)!);
    }
    await this.under.books.applyBlocks(this.under.lease, blocks);
  }

  /** Makes everything up to the chain's head final. */
  async finalize(): Promise<void> {
    await this.follow();
    await this.under.books.finalize(this.under.lease, this.chain.head);
  }

  /** @returns the operations that were in those blocks */
  async undo(depth: number): Promise<readonly Hex[]> {
    const undone = this.chain.undo(depth);
    await this.under.books.unwindTo(this.under.lease, this.chain.head.number);
    return undone;
  }

  async depositForGood(amountWei: bigint): Promise<void> {
    this.chain.mine(1);
    this.chain.deposit(ACCOUNT, amountWei);
    await this.finalize();
  }

  async wallet(): Promise<{ balance: number; requested: number; spendable: number; held: number }> {
    const [row] = await this.rows(
      `SELECT balance_wei::int AS balance, requested_wei::int AS requested, spendable_wei::int AS spendable,
         held_wei::int AS held FROM ledger.wallets WHERE wallet = '${WALLET}'`,
    );
    return row as { balance: number; requested: number; spendable: number; held: number };
  }

  /** The state of each reservation, with the reason why it was voided or the charge; oldest first. */
  async reservations(): Promise<readonly (readonly [string, string | number | null])[]> {
    const rows = await this.rows(
      `SELECT state, void_reason, charged_wei::int AS charged FROM ledger.reservations ORDER BY id`,
    );
    return rows.map(({ state, void_reason, charged }) => [state, void_reason ?? charged] as [string, string | number]);
  }

  async budget(key: string): Promise<unknown> {
    const [row] = await this.rows(
      `SELECT reserved::int AS reserved, spent::int AS spent FROM ledger.budgets WHERE key = '${key}'`,
    );
    return row;
  }

  outcomes(): Promise<readonly unknown[]> {
    return this.rows('SELECT landed, reverted FROM ledger.outcomes');
  }

  /** Kinds of all events so far. */
  async events(): Promise<readonly unknown[]> {
    return (await this.rows('SELECT kind FROM ledger.outbox ORDER BY id')).map(({ kind }) => kind);
  }

  /** @throws when the books are not right in the end */
  async close(): Promise<void> {
    const findings = await this.under.books.verifyBooks().finally(() => this.under.stop());
    if (findings.length > 0) throw new Error(`The books are wrong: ${JSON.stringify(findings)}`);
  }

  private async rows(sql: string): Promise<readonly Record<string, unknown>[]> {
    return (await this.under.pool.query<Record<string, unknown>>(sql)).rows;
  }
}
