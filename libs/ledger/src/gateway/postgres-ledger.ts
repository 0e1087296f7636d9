import type { RefusedEvent } from '@paymaster/messaging';
import {
  WALLET,
  type BudgetClaim,
  type BudgetUse,
  type ClientQuestion,
  type Ledger,
  type LedgerCursor,
  type LedgerUsage,
  type OperationKey,
  type PaymasterOperation,
  type ReserveRequest,
  type SentChange,
  type WalletAccount,
} from './ledger';
import { assertReservable } from './assert-reservable';
import type { BrakeReader } from './brake-reader';
import type { CursorReader } from './cursor-reader';
import type { Database } from './database';
import { limitOfShare } from './limit-of-share';
import type { NetworkReader } from './network-reader';
import type { OutcomeReader } from './outcome-reader';
import type { RefusalRecorder } from './refusal-recorder';
import type { ReservationQueue } from './reservation-queue';
import type { SentOperationRows } from './sent-operation-rows';
import type { WalletReader } from './wallet-reader';

export const PEEK = {
  name: 'ledger-peek',
  text: `SELECT b.key, b.reserved + b.spent AS used, coalesce(h.amount, 0) AS held
           FROM unnest($1::text[]) p(key) JOIN ledger.budgets b USING (key)
           LEFT JOIN ledger.holds h ON h.budget_id = b.id AND h.reservation_id = (
                SELECT v.id FROM ledger.wallets w JOIN ledger.reservations v ON v.wallet_id = w.id
                 WHERE w.chain_id = $2::bigint AND w.contract = $3::text AND w.wallet = $4::text
                   AND v.paymaster_id = $5::uuid AND v.sender = $6::text AND v.nonce = $7::numeric
                   AND v.closed_at IS NULL)`,
};

export const OPEN_NONCES = {
  name: 'ledger-open-nonces',
  text: `SELECT v.nonce FROM ledger.wallets w JOIN ledger.reservations v ON v.wallet_id = w.id
          WHERE w.chain_id = $1::bigint AND w.contract = $2::text AND w.wallet = $3::text
            AND v.paymaster_id = $4::uuid AND v.sender = $5::text AND v.nonce <> $6::numeric
            AND v.closed_at IS NULL AND v.state = 'open'
          ORDER BY v.id LIMIT 16`,
};

interface PeekRow {
  readonly key: string;
  readonly used: string;
  readonly held: string;
}

interface Parts {
  readonly database: Database;
  readonly queue: ReservationQueue;
  readonly wallets: WalletReader;
  readonly brakes: BrakeReader;
  readonly networks: NetworkReader;
  readonly cursors: CursorReader;
  readonly outcomes: OutcomeReader;
  readonly refusals: RefusalRecorder;
  readonly sent: SentOperationRows;
}

/** The ledger of one gateway process. Make it with `openLedger`. */
export class PostgresLedger implements Ledger {
  private readonly running = new Set<Promise<unknown>>();

  constructor(private readonly parts: Parts) {}

  async reserve(request: ReserveRequest): Promise<string> {
    assertReservable(request);
    const reserved = this.parts.queue.add(request);
    this.running.add(reserved);
    try {
      return await reserved;
    } finally {
      this.running.delete(reserved);
    }
  }

  async openNonces(operation: OperationKey): Promise<readonly bigint[]> {
    const { chainId, contract, wallet, paymasterId, sender, nonce } = operation;
    const values = [chainId, contract, wallet, paymasterId, sender, nonce.toString()];
    const rows = await this.parts.database.query<{ nonce: string }>({ ...OPEN_NONCES, values });
    return rows.map((row) => BigInt(row.nonce));
  }

  availableWei(account: WalletAccount, operation?: PaymasterOperation): Promise<bigint> {
    return this.parts.wallets.availableWei(account, operation);
  }

  spendableWei(account: WalletAccount): Promise<bigint> {
    return this.parts.wallets.spendableWei(account);
  }

  async assertBrakeLeaves(neededWei: bigint, operation: OperationKey, { isExplained = false } = {}): Promise<void> {
    await this.parts.brakes.roomWei(operation, { neededWei, isExplained });
  }

  assertNetworkLeaves(question: ClientQuestion): Promise<void> {
    return this.parts.networks.assertLeaves(question);
  }

  cursor(chainId: number): Promise<LedgerCursor | undefined> {
    return this.parts.cursors.cursor(chainId);
  }

  async peek(claims: readonly BudgetClaim[], operation?: OperationKey): Promise<readonly BudgetUse[]> {
    if (claims.length === 0) return [];
    const { chainId, contract, wallet, paymasterId, sender, nonce } = operation ?? {};
    const values = [claims.map(({ key }) => key), chainId, contract, wallet, paymasterId, sender, nonce?.toString()];
    const rows = await this.parts.database.query<PeekRow>({ ...PEEK, values });
    const byKey = new Map(rows.map((row) => [row.key, row]));
    const leftOver = new Map([[WALLET as string, await this.leftInWallet(claims, operation)]]);
    return claims.map(({ key, limit: fixed, share, endsAtSeconds = null }) => {
      const used = BigInt(byKey.get(key)?.used ?? 0);
      const held = BigInt(byKey.get(key)?.held ?? 0);
      const limit = share
        ? limitOfShare({ percent: share.percent, leftOver: leftOver.get(share.of) ?? 0n, used, held })
        : fixed;
      leftOver.set(key, limit - used);
      return { key, usedAmount: used, heldAmount: held, limit, endsAtSeconds };
    });
  }

  /** Read only if a claim has a share of the wallet. */
  private async leftInWallet(claims: readonly BudgetClaim[], operation: OperationKey | undefined): Promise<bigint> {
    if (!operation || !claims.some(({ share }) => share?.of === WALLET)) return 0n;
    return (await this.parts.brakes.roomWei(operation)) ?? this.parts.wallets.availableWei(operation);
  }

  outcomes(query: { paymasterId: string; chainId: number; sinceSeconds: number }): ReturnType<Ledger['outcomes']> {
    return this.parts.outcomes.outcomes(query);
  }

  recordRefusal(event: Omit<RefusedEvent, 'eventId' | 'atMs'>): void {
    this.parts.refusals.record(event);
  }

  recordSent(change: SentChange): void {
    this.parts.sent.record(change);
  }

  takeOverSent(...asked: Parameters<Ledger['takeOverSent']>): ReturnType<Ledger['takeOverSent']> {
    return this.parts.sent.takeOver(...asked);
  }

  findSent(...asked: Parameters<Ledger['findSent']>): ReturnType<Ledger['findSent']> {
    return this.parts.sent.find(...asked);
  }

  isUp(): boolean {
    return this.parts.database.isUp();
  }

  usage(): LedgerUsage {
    const { database, refusals, sent } = this.parts;
    return { pool: database.connections(), droppedRefusals: refusals.dropped, droppedSentChanges: sent.dropped };
  }

  /** Waits for calls under way, and writes what waits to be written. */
  async close(): Promise<void> {
    await Promise.allSettled(this.running);
    await this.parts.refusals.close();
    await this.parts.sent.close();
    await this.parts.database.close();
  }
}
