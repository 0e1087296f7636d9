import { closeReservations } from './close-reservations';
import { isSameBlock, moveFinal, newestBlockUpTo, readBlocks, requireBlock, requireCursor } from './cursors';
import type { Queries } from './database';
import { applyFinalEvents, readEvents, type EventRow } from './final-balances';
import { walletChanges, writeEvents } from './outbox-writer';
import { RESERVATION_COLUMNS, type ReservationRow } from './reservation-rows';
import { BooksBrokenError, DetachedBlockError, type BlockRef, type Lease } from './settlement-books';
import { lockWallets, recomputeSpendable, saveWallets, type LockedWallets } from './wallet-rows';

/**
 * The most events that one transaction makes final (a single block may have more). It bounds how long wallets stay
 * locked.
 */
const EVENTS_PER_STEP = 500;

interface Range {
  readonly chainId: number;
  /** The final block so far. */
  readonly after: bigint;
  readonly upTo: bigint;
}

/**
 * Makes the next blocks up to `block` final: credits, debits, settles, and voids the other holds of used nonces.
 *
 * @returns true when everything up to the block is final
 * @throws {DetachedBlockError} when another block is applied at that number
 * @throws {BooksBrokenError} when a wallet would have less than nothing
 */
export async function finalizeNextBlocks(
  queries: Queries,
  { lease, block }: { readonly lease: Lease; readonly block: BlockRef },
): Promise<boolean> {
  const { chainId } = lease;
  const { final, head } = await requireCursor(queries, chainId);
  if (block.number > head.number) throw new Error(`Block ${block.number} of chain ${chainId} is not applied yet.`);
  const [applied] = await readBlocks(queries, { chainId, numbers: [block.number] });
  if (applied && !isSameBlock(applied, block)) {
    throw new DetachedBlockError(`Block ${block.number} is applied as ${applied.hash}, not as ${block.hash}.`);
  }
  if (block.number <= final.number) return true;

  const range = await nextRange(queries, { chainId, after: final.number, upTo: block.number });
  const newFinal = await requireBlock(queries, { chainId, number: range.upTo });
  const events = await readEvents(queries, range);
  const walletIds = new Set([
    ...events.flatMap(({ wallet_id }) => wallet_id ?? []),
    ...(await rivalWallets(queries, range)),
  ]);
  const wallets = await lockWallets(queries, [...walletIds]);

  const settled = await landedIn(queries, range);
  const voided = await rivals(queries, range, wallets);
  await applyFinalEvents(queries, { events, wallets });
  const ended = await closeReservations(queries, {
    ...{ chainId, wallets, settled, voided },
    because: 'nonceUsed',
    blockNumber: range.upTo,
  });
  requireSolvent(wallets);
  await recomputeSpendable(queries, { chainId, wallets: [...wallets.values()], finalNumber: range.upTo });
  await saveWallets(queries, [...wallets.values()]);
  const moved = movedByOwner(events, wallets);
  await writeEvents(queries, [...ended, ...walletChanges(moved, { chainId, block: newFinal, is: 'final' })]);
  await moveFinal(queries, lease, newFinal);
  return range.upTo === block.number;
}

/** As many blocks as have {@link EVENTS_PER_STEP} events together, at least one. */
async function nextRange(queries: Queries, wanted: Range): Promise<Range> {
  const { rows } = await queries.query<{ block_number: string }>(
    `SELECT block_number FROM ledger.chain_events
     WHERE chain_id = $1 AND block_number > $2 AND block_number <= $3
     ORDER BY block_number OFFSET ${EVENTS_PER_STEP} LIMIT 1`,
    [wanted.chainId, wanted.after, wanted.upTo],
  );
  if (!rows[0]) return wanted;
  const next = BigInt(rows[0].block_number);
  const before = await newestBlockUpTo(queries, { chainId: wanted.chainId, number: next - 1n });
  if (before && before.number > wanted.after) return { ...wanted, upTo: before.number };
  // So many events are in the first block alone.
  return { ...wanted, upTo: next };
}

/** Open reservations, of any tenant, on a nonce that an operation of the range used. */
const RIVALS = `FROM ledger.chain_events AS e
  JOIN ledger.reservations AS r
    ON r.chain_id = e.chain_id AND r.entry_point = e.payload ->> 'entryPoint' AND r.sender = e.payload ->> 'sender'
    AND r.nonce = (e.payload ->> 'nonce')::numeric AND r.closed_at IS NULL AND r.state = 'open'
  WHERE e.chain_id = $1 AND e.block_number > $2 AND e.block_number <= $3 AND e.kind IN ('operation', 'nonceUsed')`;

async function rivalWallets(queries: Queries, { chainId, after, upTo }: Range): Promise<readonly string[]> {
  const { rows } = await queries.query<{ wallet_id: string }>(`SELECT DISTINCT r.wallet_id ${RIVALS}`, [
    chainId,
    after,
    upTo,
  ]);
  return rows.map(({ wallet_id }) => wallet_id);
}

/**
 * A reservation that was made meanwhile, for a wallet that is not locked here, just expires: its signature can never be
 * used.
 */
async function rivals(queries: Queries, range: Range, wallets: LockedWallets): Promise<readonly ReservationRow[]> {
  const { rows } = await queries.query<ReservationRow>(
    `SELECT DISTINCT ${RESERVATION_COLUMNS} ${RIVALS} AND r.wallet_id = ANY($4)`,
    [range.chainId, range.after, range.upTo, [...wallets.keys()]],
  );
  return rows;
}

async function landedIn(queries: Queries, { chainId, after, upTo }: Range): Promise<readonly ReservationRow[]> {
  const { rows } = await queries.query<ReservationRow>(
    `SELECT ${RESERVATION_COLUMNS} FROM ledger.reservations AS r
     WHERE r.state = 'landed' AND r.chain_id = $1 AND r.block_number > $2 AND r.block_number <= $3
     ORDER BY r.block_number, r.log_index`,
    [chainId, after, upTo],
  );
  return rows;
}

/** The contract never debits more than the balance. So settlement has missed a deposit, and must not continue. */
function requireSolvent(wallets: LockedWallets): void {
  for (const { contract, wallet, balanceWei, heldWei } of wallets.values()) {
    if (balanceWei >= 0n && heldWei >= 0n) continue;
    throw new BooksBrokenError(
      `Wallet ${wallet} in ${contract} would have ${balanceWei} wei and hold ${heldWei}: the books miss something.`,
    );
  }
}

function movedByOwner(events: readonly EventRow[], wallets: LockedWallets) {
  const ids = new Set(events.filter(({ kind }) => kind !== 'operation').map(({ wallet_id }) => wallet_id));
  return [...wallets.values()].filter(({ id }) => ids.has(id));
}
