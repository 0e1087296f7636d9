import { isSameBlock, moveHead, readBlocks, requireCursor } from './cursors';
import type { Queries } from './database';
import { accountsOf, isOperation, payloadOf, placeEvents, type PlacedEvent } from './event-rows';
import { recordFindings } from './findings';
import { landOperations } from './land-operations';
import { landedEvent } from './operation-events';
import { countOutcomes } from './outcomes';
import { walletChanges, writeEvents } from './outbox-writer';
import type { ReservationRow } from './reservation-rows';
import { DetachedBlockError, type AppliedBlock, type Cursor, type Finding, type Lease } from './settlement-books';
import {
  createWallets,
  findWalletIds,
  lockWallets,
  recomputeSpendable,
  saveWallets,
  walletKey,
  type LockedWallets,
} from './wallet-rows';

/**
 * Applies the blocks after the head: their operations land, and events that make wallets poorer count at once.
 *
 * @returns findings that an operator must look at
 */
export async function applyBlocks(
  queries: Queries,
  { lease, blocks }: { readonly lease: Lease; readonly blocks: readonly AppliedBlock[] },
): Promise<readonly Finding[]> {
  const { chainId } = lease;
  const cursor = await requireCursor(queries, chainId);
  const fresh = await blocksAfterHead(queries, { chainId, cursor, blocks });
  const head = fresh.at(-1)?.block;
  if (!head) return [];

  const events = placeEvents(fresh);
  const wallets = await lockAccounts(queries, { chainId, events });
  const walletIds = new Map([...wallets.values()].map((wallet) => [walletKey(wallet), wallet.id]));
  const operations = events.filter(isOperation);
  const landed = await landOperations(queries, { chainId, operations, walletIds });
  await insertBlocks(queries, { chainId, blocks: fresh });
  await insertEvents(queries, { chainId, events, walletIds, landed });
  const inOrder = operations.flatMap(({ block, event }) => {
    const row = landed.get(event.userOpHash);
    return row ? [{ row, timeSeconds: block.timeSeconds }] : [];
  });
  await countOutcomes(queries, { chainId, sign: 1, operations: inOrder });

  const poorer = events.filter(({ event }) => walkWei(event, landed) !== null);
  const walked = walletsOf(poorer, { wallets, walletIds });
  await recomputeSpendable(queries, { chainId, wallets: walked, finalNumber: cursor.final.number });
  await saveWallets(queries, walked);
  const withdrawing = poorer.filter(({ event }) => event.kind !== 'operation');
  await writeEvents(queries, [
    ...inOrder.map(({ row }) => landedEvent('landed', { row, chainId, wallets })),
    ...walletChanges(walletsOf(withdrawing, { wallets, walletIds }), { chainId, block: head, is: 'applied' }),
  ]);
  const findings = unexpected(landed);
  await recordFindings(queries, { chainId, blockNumber: head.number, findings });
  await moveHead(queries, lease, head);
  return findings;
}

/** The blocks that are not applied yet. */
async function blocksAfterHead(
  queries: Queries,
  { chainId, cursor, blocks }: { chainId: number; cursor: Cursor; blocks: readonly AppliedBlock[] },
): Promise<readonly AppliedBlock[]> {
  const numbers = blocks.map(({ block }) => block.number).filter((number) => number <= cursor.head.number);
  const applied = numbers.length > 0 ? await readBlocks(queries, { chainId, numbers }) : [];
  for (const { block } of blocks) {
    const other = applied.find(({ number }) => number === block.number);
    if (other && !isSameBlock(other, block)) {
      throw new DetachedBlockError(`Block ${block.number} is applied as ${other.hash}, not as ${block.hash}.`);
    }
  }
  const fresh = blocks.filter(({ block }) => block.number > cursor.head.number);
  fresh.reduce(
    (last, { block, after = { number: block.number - 1n, hash: block.parentHash } }) => {
      if (isSameBlock(after, last)) return block;
      throw new DetachedBlockError(
        `Block ${block.number} follows ${after.number} ${after.hash}, not ${last.number} ${last.hash}.`,
      );
    },
    cursor.head as { number: bigint; hash: typeof cursor.head.hash },
  );
  return fresh;
}

async function lockAccounts(
  queries: Queries,
  { chainId, events }: { chainId: number; events: readonly PlacedEvent[] },
): Promise<LockedWallets> {
  const accounts = accountsOf(events);
  if (accounts.length === 0) return new Map();
  await createWallets(queries, { chainId, accounts });
  return lockWallets(queries, await findWalletIds(queries, { chainId, accounts }));
}

async function insertBlocks(
  queries: Queries,
  { chainId, blocks }: { chainId: number; blocks: readonly AppliedBlock[] },
): Promise<void> {
  await queries.query(
    `INSERT INTO ledger.blocks (chain_id, number, hash, parent_hash, time)
     SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[])`,
    [
      chainId,
      blocks.map(({ block }) => block.number),
      blocks.map(({ block }) => block.hash.toLowerCase()),
      blocks.map(({ block }) => block.parentHash.toLowerCase()),
      blocks.map(({ block }) => block.timeSeconds),
    ],
  );
}

async function insertEvents(
  queries: Queries,
  {
    chainId,
    events,
    walletIds,
    landed,
  }: {
    chainId: number;
    events: readonly PlacedEvent[];
    walletIds: ReadonlyMap<string, string>;
    landed: ReadonlyMap<string, ReservationRow>;
  },
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ block, event }) => ({
    block_number: block.number.toString(),
    block_hash: block.hash,
    log_index: event.logIndex,
    transaction_hash: event.transactionHash,
    contract: event.contract,
    kind: event.kind,
    wallet_id: event.kind === 'nonceUsed' ? null : walletIds.get(walletKey(event)),
    reservation_id: event.kind === 'operation' ? landed.get(event.userOpHash)?.id : null,
    payload: payloadOf(event),
    walk_wei: walkWei(event, landed)?.toString() ?? null,
  }));
  await queries.query(
    `INSERT INTO ledger.chain_events (chain_id, block_number, block_hash, log_index, transaction_hash, contract, kind,
       wallet_id, reservation_id, payload, walk_wei)
     SELECT $1, e.*
     FROM jsonb_to_recordset($2::jsonb) AS e (block_number bigint, block_hash text, log_index int,
       transaction_hash text, contract text, kind text, wallet_id bigint, reservation_id bigint, payload jsonb,
       walk_wei numeric)`,
    [chainId, JSON.stringify(rows)],
  );
}

/** An event's amount in the walk of `spendableWei`; null for an event that the walk leaves out. */
function walkWei(event: PlacedEvent['event'], landed: ReadonlyMap<string, ReservationRow>): bigint | null {
  switch (event.kind) {
    case 'withdrawalRequested':
    case 'withdrawalExecuted':
      return event.amountWei;
    case 'operation': {
      const uncovered = event.chargedWei - BigInt(landed.get(event.userOpHash)?.hold_wei ?? 0);
      return uncovered > 0n ? uncovered : null;
    }
    case 'deposited':
    case 'withdrawalCancelled':
    case 'returned':
    case 'nonceUsed':
      return null;
  }
}

function walletsOf(
  events: readonly PlacedEvent[],
  { wallets, walletIds }: { wallets: LockedWallets; walletIds: ReadonlyMap<string, string> },
) {
  const ids = new Set(accountsOf(events).map((account) => walletIds.get(walletKey(account))));
  return [...wallets.values()].filter(({ id }) => ids.has(id));
}

/** Findings that gateway and contract never cause; a restored database can. */
function unexpected(landed: ReadonlyMap<string, ReservationRow>): readonly Finding[] {
  return [...landed.values()].flatMap((row) => {
    const found = `${row.user_op_hash} charged ${row.charged_wei} wei`;
    if (row.paymaster_id === null) return [{ what: 'operation', expected: 'a reservation', found }];
    const isCovered = BigInt(row.charged_wei ?? 0) <= BigInt(row.hold_wei);
    return isCovered ? [] : [{ what: `reservation ${row.id}`, expected: `at most ${row.hold_wei} wei`, found }];
  });
}
