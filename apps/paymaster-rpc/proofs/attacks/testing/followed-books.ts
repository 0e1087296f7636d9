import { randomUUID } from 'node:crypto';
import { AgreedChain, BlockSource, type ChainConfig } from '@paymaster/chain';
import type { Address } from '@paymaster/domain';
import { exposureClaims } from '@paymaster/ledger';
import { openSettlementBooks, type Lease, type SettlementBooks } from '@paymaster/ledger/settlement';
import { UNHURRIED_BOOKS } from '@paymaster/ledger/testing';
import type { Pool } from 'pg';

/** What a wallet may lose by one token; wei. */
export interface Exposure {
  /** Held for operations that are not final. */
  readonly liveWei: bigint;
  /** Spent by operations that did not pay. */
  readonly dueWei: bigint;
  /** How many operations are not final. */
  readonly holds: number;
}

const NOBODY: Address = `0x${'00'.repeat(20)}`;
const LEASE_MS = 3_600_000;
/** A slow answer on a busy machine must not count as a fault of the node. */
const PATIENT = { callTimeoutMs: 60_000, totalTimeoutMs: 120_000 };

/** Settlement for the ledger of a world: it follows the world's chain when the test says so. */
export class FollowedBooks {
  private constructor(
    private readonly parts: {
      readonly pool: Pool;
      readonly chainId: number;
      readonly blocks: BlockSource;
      readonly books: SettlementBooks;
      readonly lease: Lease;
    },
  ) {}

  /** Opens the books at the chain's head; they replace the books that the world has set. */
  static async open(config: ChainConfig, pool: Pool): Promise<FollowedBooks> {
    const { chainId } = config;
    const blocks = new BlockSource(new AgreedChain(config, PATIENT), config);
    const books = openSettlementBooks({ pool, timeouts: UNHURRIED_BOOKS });
    const lease = await books.acquireLease({ chainId, holder: randomUUID(), ttlMs: LEASE_MS });
    if (!lease) throw new Error('somebody settles this chain already');
    await pool.query('DELETE FROM ledger.cursors WHERE chain_id = $1', [chainId]);
    await books.startAt(lease, await blocks.head());
    return new FollowedBooks({ pool, chainId, blocks, books, lease });
  }

  /** Applies every block of the chain, and makes it final. */
  async settle(): Promise<void> {
    const { chainId, blocks, books, lease } = this.parts;
    const [cursor, head] = [await books.cursor(chainId), await blocks.head()];
    await books.applyBlocks(lease, await blocks.blocks(cursor!.head.number + 1n, head.number));
    await books.finalize(lease, head);
  }

  async exposure({ wallet, token }: { wallet: Address; token: Address }): Promise<Exposure> {
    const { pool, chainId } = this.parts;
    const none = { prechargeWei: 0n, tokenCapWei: 0n, senderCapWei: 0n };
    const [{ key }] = exposureClaims({ chainId, wallet, token, sender: NOBODY, ...none });
    const { rows } = await pool.query<{ live: string; due: string; holds: number }>(
      `SELECT b.reserved AS live, b.spent AS due,
         (SELECT count(*)::int FROM ledger.holds h JOIN ledger.reservations r ON r.id = h.reservation_id
           WHERE h.budget_id = b.id AND r.closed_at IS NULL) AS holds
       FROM ledger.budgets b WHERE b.key = $1`,
      [key],
    );
    const { live, due, holds } = rows[0] ?? { live: 0, due: 0, holds: 0 };
    return { liveWei: BigInt(live), dueWei: BigInt(due), holds };
  }
}
