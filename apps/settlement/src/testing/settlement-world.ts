import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { parseChains, ServedContracts, type ChainConfig, type ContractNotice } from '@paymaster/chain';
import { SponsoredChain, type SponsoredOperation, type SponsoredRequest } from '@paymaster/chain/testing';
import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import type { EntryPointVersion } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { exposureClaims, openLedger, type Ledger } from '@paymaster/ledger';
import { openSettlementBooks, type SettlementBooks } from '@paymaster/ledger/settlement';
import {
  aBudgetClaim,
  aReserveRequest,
  createLedgerDatabase,
  UNHURRIED,
  UNHURRIED_BOOKS,
  type LedgerDatabase,
} from '@paymaster/ledger/testing';
import type { MonotonicClock } from '@paymaster/turns';
import { ChainFollower, type Step } from '../following/chain-follower';
import { LeaseKeeper } from '../following/lease-keeper';
import type { ChainSource } from '../following/chain-source';
import { RangeSize } from '../following/range-size';
import { openChainSource } from '../following/open-chain-source';
import { reconcileChain } from '../reconciliation/reconcile-chain';

export const CHAIN_ID = 31337;

export interface RawChainOptions {
  readonly finalityDepth: number;
  readonly rpcUrls?: readonly string[];
  readonly entryPoints?: ChainConfig['entryPoints'];
}

export interface FollowerUnderTest {
  readonly follower: ChainFollower;
  /** The events that the follower reported: `halted: ...`, `reorganized: 3`, `leaseLost`. */
  readonly told: string[];
  readonly noticed: ContractNotice[];
  /** Steps until the chain has nothing more. */
  catchUp(): Promise<Step>;
}

/** An operation that was signed, with what it holds. */
export interface GrantedOperation extends SponsoredOperation {
  readonly reservationId: string;
  readonly version: EntryPointVersion;
  readonly validUntilSeconds: number;
}

/** In a token that no event names, as where `postOp` was undone. */
const UNCAPPED = { token: randomAddress(), tokenCapWei: 10n ** 20n, senderCapWei: 10n ** 20n };

/** A real chain with our contracts, and a real Postgres. */
export class SettlementWorld {
  private readonly folders: string[] = [];

  private constructor(
    readonly chain: SponsoredChain,
    readonly postgres: TestDatabase,
  ) {}

  static async start(): Promise<SettlementWorld> {
    const [chain, postgres] = await Promise.all([SponsoredChain.start(), openDatabase()]);
    return new SettlementWorld(chain, postgres);
  }

  async stop(): Promise<void> {
    await this.chain.stop();
    await this.postgres.stop();
    for (const folder of this.folders) rmSync(folder, { recursive: true, force: true });
  }

  /**
   * New books in a database of their own. Dropping them also undoes the blocks since, so that books opened later do not
   * read them.
   *
   * @param finalityDepth blocks on top that make a block final
   */
  async books(finalityDepth: number): Promise<BooksUnderTest> {
    const database = await createLedgerDatabase(this.postgres.url);
    const openedAt = await this.chain.rpc('evm_snapshot');
    return new BooksUnderTest(this, database, { finalityDepth, openedAt });
  }

  /** chains.json of this chain, and of others as given. */
  writeChainsFile(options: RawChainOptions & { others?: readonly object[] }): string {
    const folder = mkdtempSync(join(tmpdir(), 'paymaster-settlement-'));
    this.folders.push(folder);
    const file = join(folder, 'chains.json');
    writeFileSync(file, JSON.stringify({ chains: [this.rawChain(options), ...(options.others ?? [])] }));
    return file;
  }

  rawChain({ finalityDepth, rpcUrls, entryPoints }: RawChainOptions): object {
    return {
      chainId: CHAIN_ID,
      name: 'test',
      rpcUrls: rpcUrls ?? [this.chain.url],
      bundlerUrl: 'http://127.0.0.1:1',
      entryPoints: entryPoints ?? this.chain.entryPoints,
      blockTimeSeconds: 1,
      finality: { depth: finalityDepth },
    };
  }

  headTimeSeconds(): Promise<number> {
    return this.timeSeconds('latest');
  }

  /** About the time of the next block: long after the head, if nothing was mined for a while. */
  async nextTimeSeconds(): Promise<number> {
    return Math.max(await this.timeSeconds('latest'), await this.timeSeconds('pending'));
  }

  private async timeSeconds(tag: 'latest' | 'pending'): Promise<number> {
    const { timestamp } = (await this.chain.rpc('eth_getBlockByNumber', tag, false)) as { timestamp: string };
    return Number(timestamp);
  }
}

/** The books of one test, the gateway's side of them, and followers that keep them. */
export class BooksUnderTest {
  readonly books: SettlementBooks;
  readonly ledger: Ledger;
  /** What chains.json says of the EntryPoints; the chain's own unless a test says otherwise. */
  entryPoints: ChainConfig['entryPoints'];

  constructor(
    readonly world: SettlementWorld,
    readonly database: LedgerDatabase,
    /** `openedAt` is a snapshot of the chain. */
    private readonly of: { readonly finalityDepth: number; readonly openedAt: unknown },
  ) {
    this.books = openSettlementBooks({ pool: database.pool, timeouts: UNHURRIED_BOOKS });
    this.ledger = openLedger({ databaseUrl: database.url, ...UNHURRIED });
    this.entryPoints = world.chain.entryPoints;
  }

  async drop(): Promise<void> {
    await this.ledger.close();
    await this.database.drop();
    await this.world.chain.rpc('evm_revert', this.of.openedAt);
  }

  chainConfig(rpcUrls?: readonly string[]): ChainConfig {
    const { entryPoints } = this;
    const { finalityDepth } = this.of;
    const [config] = parseChains({
      chains: [structuredClone(this.world.rawChain({ finalityDepth, entryPoints, ...(rpcUrls && { rpcUrls }) }))],
    });
    return config!;
  }

  /** The chain as settlement reads it; directly, with all the time that a machine needs which stands still at times. */
  source(rpcUrls?: readonly string[], clock?: MonotonicClock): ChainSource {
    const patience = rpcUrls ? {} : { callTimeoutMs: 60_000, totalTimeoutMs: 120_000 };
    return openChainSource(this.chainConfig(rpcUrls), () => undefined, { ...patience, ...(clock && { clock }) });
  }

  /** The time of every lease passes. */
  async expireLeases(): Promise<void> {
    await this.database.pool.query(`UPDATE ledger.leases SET expires_at = now()`);
  }

  follower(options: { windowBlocks?: number; source?: ChainSource; stillMs?: number } = {}): FollowerUnderTest {
    const { windowBlocks = 64, source = this.source(), stillMs = 0 } = options;
    const { books } = this;
    const told: string[] = [];
    const noticed: ContractNotice[] = [];
    const follower = new ChainFollower({
      chainId: CHAIN_ID,
      books,
      source,
      lease: new LeaseKeeper({ books, chainId: CHAIN_ID, holder: randomUUID(), ttlMs: 600_000 }),
      events: {
        missed: ({ aboveNumber }) => told.push(`missed above ${aboveNumber}`),
        reorganized: ({ undoneBlocks }) => told.push(`reorganized: ${undoneBlocks}`),
        halted: (reason) => told.push(`halted: ${reason}`),
        leaseLost: () => told.push('leaseLost'),
        noticed: (notice) => noticed.push(notice),
        requestsUnread: (error) => told.push(`requests unread: ${String(error)}`),
      },
      startBlock: 0n,
      windowBlocks,
      skipsQuietBlocks: true,
      contracts: new ServedContracts(this.entryPoints).paymasters,
      range: new RangeSize({ most: 50, targetMs: 60_000 }),
      stillMs,
    });
    return {
      follower,
      ...{ told, noticed },
      async catchUp() {
        for (;;) {
          const step = await follower.step();
          if (!step.hasMore) return step;
        }
      },
    };
  }

  /** An operation with its reservation in the ledger, as the gateway makes it before it signs. */
  async granted(
    request: Partial<SponsoredRequest> & { validForSeconds?: number; budget?: string } = {},
  ): Promise<GrantedOperation> {
    const { version = '0.7', validForSeconds = 300, budget = 'budget' } = request;
    const nowSeconds = await this.world.headTimeSeconds();
    const validUntilSeconds = (await this.world.nextTimeSeconds()) + validForSeconds;
    const operation = await this.world.chain.sponsored({ ...request, version, validUntilSeconds });
    const { payment } = request;
    const { entryPoint, paymaster } = { ...this.world.chain.world.of(version), ...request.contract };
    const { wallet, prechargeWei } = operation;
    const { sender } = operation.operation;
    const reservationId = await this.ledger.reserve(
      aReserveRequest({
        chainId: CHAIN_ID,
        contract: paymaster,
        wallet,
        entryPoint,
        entryPointVersion: version,
        sender,
        nonce: operation.operation.nonce,
        prechargeWei,
        validUntilSeconds,
        nowSeconds,
        ...(payment && { mode: 'token' }),
        claims: [
          aBudgetClaim({ key: `${budget}/wei`, unit: 'wei', amount: prechargeWei, limit: 10n ** 20n }),
          aBudgetClaim({ key: `${budget}/count`, limit: 100n }),
          aBudgetClaim({ key: `${budget}/live`, live: true, limit: 100n }),
          ...(request.unpaid || payment?.way === 'batchApproval'
            ? exposureClaims({ ...{ chainId: CHAIN_ID, wallet, sender, prechargeWei }, ...UNCAPPED, ...payment })
            : []),
        ],
      }),
    );
    return { ...operation, reservationId, version, validUntilSeconds };
  }

  async land(operation: SponsoredOperation & { version: EntryPointVersion }): Promise<void> {
    await this.world.chain.handleOps(operation.version, [operation]);
  }

  /** Mines until every block that exists now is final. */
  async makeFinal(): Promise<void> {
    await this.world.chain.mine(this.of.finalityDepth);
  }

  async reservation(id: string): Promise<{ state: string; voidReason: string | null; chargedWei: bigint | null }> {
    const { rows } = await this.database.pool.query<{ state: string; void_reason: string | null; charged_wei: string }>(
      'SELECT state, void_reason, charged_wei FROM ledger.reservations WHERE id = $1',
      [id],
    );
    const [row] = rows;
    if (!row) throw new Error(`there is no reservation ${id}`);
    return {
      state: row.state,
      voidReason: row.void_reason,
      chargedWei: row.charged_wei === null ? null : BigInt(row.charged_wei),
    };
  }

  /** Kinds of the events that were written about a reservation, in order. */
  async eventsOf(reservationId: string): Promise<string[]> {
    const { rows } = await this.database.pool.query<{ kind: string }>(
      `SELECT kind FROM ledger.outbox WHERE payload ->> 'reservationId' = $1 ORDER BY id`,
      [reservationId],
    );
    return rows.map(({ kind }) => kind);
  }

  /** The differences between entries, balances, contracts and deposits; empty when all agree. */
  async differences(): Promise<readonly unknown[]> {
    const { books } = this;
    const { findings } = await reconcileChain({ books, chain: this.chainConfig(), source: this.source() });
    return [...findings, ...(await books.verifyBooks())];
  }

  /** The sum of all open holds and live caps; zero when no hold is left over. */
  async heldAmounts(): Promise<{ wallets: bigint; budgets: bigint }> {
    const { rows } = await this.database.pool.query<{ wallets: string; budgets: string }>(
      `SELECT (SELECT coalesce(sum(held_wei), 0) FROM ledger.wallets) AS wallets,
              (SELECT coalesce(sum(reserved), 0) FROM ledger.budgets) AS budgets`,
    );
    return { wallets: BigInt(rows[0]!.wallets), budgets: BigInt(rows[0]!.budgets) };
  }
}
