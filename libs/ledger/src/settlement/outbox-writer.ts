import type { SponsorshipEvent } from '@paymaster/messaging';
import type { Queries } from './database';
import { eventId, type Fact } from './event-ids';
import type { BlockRef } from './settlement-books';
import type { LockedWallet } from './wallet-rows';

type Unaddressed<T> = T extends SponsorshipEvent ? Omit<T, 'eventId' | 'atMs'> : never;

/** An event before the outbox gives it its id and time. */
export interface NewEvent {
  /** The fact from which its id is computed. */
  readonly fact: Fact;
  readonly event: Unaddressed<SponsorshipEvent>;
}

/** Writes events in the transaction that caused them, in order. */
export async function writeEvents(queries: Queries, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  await queries.query(
    `INSERT INTO ledger.outbox (event_id, kind, chain_id, paymaster_id, payload)
     SELECT e.id, e.item ->> 'kind', (e.item ->> 'chainId')::bigint, (e.item ->> 'paymasterId')::uuid, e.item
     FROM unnest($1::uuid[], $2::jsonb[]) WITH ORDINALITY AS e (id, item, place) ORDER BY e.place`,
    [await freeIds(queries, events), events.map(({ event }) => JSON.stringify(event))],
  );
}

/**
 * Makes ids that no event has yet: if the same fact occurred before, the counter in its id goes up. No other process
 * makes ids for this chain meanwhile, because its lease is locked.
 */
async function freeIds(queries: Queries, events: readonly NewEvent[]): Promise<readonly string[]> {
  const ids = events.map(({ fact }) => eventId(fact, 0));
  for (let time = 1; ; time++) {
    const { rows } = await queries.query<{ event_id: string }>(
      `SELECT event_id FROM ledger.outbox WHERE event_id = ANY ($1::uuid[]) AND kind <> 'granted'`,
      [ids],
    );
    if (rows.length === 0) return ids;
    const taken = new Set(rows.map(({ event_id }) => event_id));
    for (const [index, { fact }] of events.entries()) if (taken.has(ids[index]!)) ids[index] = eventId(fact, time);
  }
}

/**
 * Writes an event for each wallet whose spendable balance has changed. The event reports a state. So if the wallet has
 * another state at the same block, as after a restored backup, that is another fact.
 *
 * @param because the block that was applied, became final, or became the head again
 */
export function walletChanges(
  wallets: readonly LockedWallet[],
  because: { readonly chainId: number; readonly block: BlockRef; readonly is: 'applied' | 'final' | 'headAgain' },
): readonly NewEvent[] {
  const { chainId, block, is } = because;
  return wallets
    .filter((wallet) => wallet.spendableWei !== wallet.previousSpendableWei)
    .map(({ contract, wallet, ...amounts }) => {
      const [spendableWei, heldWei] = [amounts.spendableWei.toString(), amounts.heldWei.toString()];
      return {
        fact: [chainId, 'walletChanged', contract, wallet, is, block.hash, spendableWei, heldWei],
        event: {
          ...{ kind: 'walletChanged', chainId, paymasterId: null },
          ...{ contract, fundingWallet: wallet, spendableWei, heldWei },
        },
      };
    });
}
