import type { Hex } from '@paymaster/domain';
import type { Queries } from './database';
import type { BlockHeader, BlockRef, Cursor, Lease, LeftOutBlocks, TimedBlockRef } from './settlement-books';

interface CursorRow {
  readonly head_number: string;
  readonly head_hash: Hex;
  readonly head_time: string;
  readonly final_number: string;
  readonly final_hash: Hex;
  readonly final_time: string;
  readonly halted_reason: string | null;
}

interface BlockRow {
  readonly number: string;
  readonly hash: Hex;
  readonly parent_hash: Hex;
  readonly time: string;
}

export async function readCursor(queries: Queries, chainId: number): Promise<Cursor | undefined> {
  const { rows } = await queries.query<CursorRow>(
    `SELECT head_number, head_hash, head_time, final_number, final_hash, final_time, halted_reason
     FROM ledger.cursors WHERE chain_id = $1`,
    [chainId],
  );
  const [row] = rows;
  return (
    row && {
      head: { number: BigInt(row.head_number), hash: row.head_hash, timeSeconds: Number(row.head_time) },
      final: { number: BigInt(row.final_number), hash: row.final_hash, timeSeconds: Number(row.final_time) },
      haltedReason: row.halted_reason,
    }
  );
}

/** @throws when the chain's books were never opened */
export async function requireCursor(queries: Queries, chainId: number): Promise<Cursor> {
  const cursor = await readCursor(queries, chainId);
  if (!cursor) throw new Error(`The books of chain ${chainId} were never opened: call startAt first.`);
  return cursor;
}

export async function moveHead(queries: Queries, { chainId, token }: Lease, head: TimedBlockRef): Promise<void> {
  await queries.query(
    `UPDATE ledger.cursors SET head_number = $3, head_hash = $4, head_time = $5, token = $2, updated_at = now()
     WHERE chain_id = $1`,
    [chainId, token, head.number, head.hash, head.timeSeconds],
  );
}

export async function confirmHead(queries: Queries, { chainId, token }: Lease, head: BlockRef): Promise<void> {
  await queries.query(
    `UPDATE ledger.cursors SET checked_at = clock_timestamp(), token = $2 WHERE chain_id = $1 AND head_hash = $3`,
    [chainId, token, head.hash.toLowerCase()],
  );
}

export async function moveFinal(queries: Queries, { chainId, token }: Lease, final: TimedBlockRef): Promise<void> {
  await queries.query(
    `UPDATE ledger.cursors SET final_number = $3, final_hash = $4, final_time = $5, token = $2, updated_at = now()
     WHERE chain_id = $1`,
    [chainId, token, final.number, final.hash, final.timeSeconds],
  );
}

/** The applied blocks with these numbers. */
export async function readBlocks(
  queries: Queries,
  { chainId, numbers }: { readonly chainId: number; readonly numbers: readonly bigint[] },
): Promise<readonly BlockHeader[]> {
  const { rows } = await queries.query<BlockRow>(
    `SELECT number, hash, parent_hash, time FROM ledger.blocks WHERE chain_id = $1 AND number = ANY($2)`,
    [chainId, numbers],
  );
  return rows.map(blockOf);
}

/** The newest applied block that is not above a number; blocks without events may be left out of the books. */
export async function newestBlockUpTo(
  queries: Queries,
  { chainId, number }: { readonly chainId: number; readonly number: bigint },
): Promise<BlockHeader | undefined> {
  const { rows } = await queries.query<BlockRow>(
    `SELECT number, hash, parent_hash, time FROM ledger.blocks
     WHERE chain_id = $1 AND number <= $2 ORDER BY number DESC LIMIT 1`,
    [chainId, number],
  );
  return rows[0] && blockOf(rows[0]);
}

/** The stretches of blocks above the final block that the books left out, oldest first. */
export async function leftOutBlocks(queries: Queries, chainId: number): Promise<readonly LeftOutBlocks[]> {
  const { rows } = await queries.query<{ after: string; up_to: string }>(
    `SELECT after, number AS up_to FROM (
       SELECT b.number, lag(b.number) OVER (ORDER BY b.number) AS after
       FROM ledger.blocks AS b JOIN ledger.cursors AS c USING (chain_id)
       WHERE b.chain_id = $1 AND b.number >= c.final_number) AS applied
     WHERE number > after + 1 ORDER BY number`,
    [chainId],
  );
  return rows.map(({ after, up_to }) => ({ after: BigInt(after), upTo: BigInt(up_to) }));
}

function blockOf(row: BlockRow): BlockHeader {
  return {
    number: BigInt(row.number),
    hash: row.hash,
    parentHash: row.parent_hash,
    timeSeconds: Number(row.time),
  };
}

/** @throws when that number was never applied, or is too old to be kept */
export async function requireBlock(
  queries: Queries,
  { chainId, number }: { readonly chainId: number; readonly number: bigint },
): Promise<BlockHeader> {
  const [block] = await readBlocks(queries, { chainId, numbers: [number] });
  if (!block) throw new Error(`Block ${number} of chain ${chainId} is not in the books.`);
  return block;
}

export function isSameBlock(a: BlockRef, b: BlockRef): boolean {
  return a.number === b.number && a.hash.toLowerCase() === b.hash.toLowerCase();
}
