import type { SponsorshipEvent } from '@paymaster/messaging';
import type { Queries } from './database';
import type { LockedWallet } from './wallet-rows';

type Unaddressed<T> = T extends SponsorshipEvent ? Omit<T, 'eventId' | 'atMs'> : never;

/** An event before the outbox gives it its id and time. */
export type NewEvent = Unaddressed<SponsorshipEvent>;

/** Writes events in the transaction that caused them, in order. */
export async function writeEvents(queries: Queries, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  await queries.query(
    `INSERT INTO ledger.outbox (kind, chain_id, paymaster_id, payload)
     SELECT e.item ->> 'kind', (e.item ->> 'chainId')::bigint, (e.item ->> 'paymasterId')::uuid, e.item
     FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS e (item, place) ORDER BY e.place`,
    [JSON.stringify(events)],
  );
}

/** Says so for each wallet whose spendable balance is another one than before. */
export function walletChanges(chainId: number, wallets: readonly LockedWallet[]): readonly NewEvent[] {
  return wallets
    .filter((wallet) => wallet.spendableWei !== wallet.previousSpendableWei)
    .map((wallet) => ({
      kind: 'walletChanged',
      chainId,
      paymasterId: null,
      contract: wallet.contract,
      fundingWallet: wallet.wallet,
      spendableWei: wallet.spendableWei.toString(),
      heldWei: wallet.heldWei.toString(),
    }));
}
