import type { OperationKey, PaymasterOperation, WalletAccount } from './ledger';
import { CachedLoader } from './cached-loader';
import type { Database } from './database';
import { ledgerBehind } from './refusals';

export const READ_WALLETS = {
  name: 'ledger-wallets',
  text: `SELECT greatest(w.spendable_wei - w.held_wei, 0) AS available_wei, w.spendable_wei,
                k.chain_id IS NOT NULL AND k.halted_reason IS NULL AS is_open
           FROM unnest($1::bigint[], $2::text[], $3::text[]) WITH ORDINALITY p(chain_id, contract, wallet, n)
           LEFT JOIN ledger.wallets w USING (chain_id, contract, wallet)
           LEFT JOIN ledger.cursors k USING (chain_id)
          ORDER BY p.n`,
};

/**
 * Reads what is available to an operation that may already have a reservation. Balance and hold are read at the same
 * moment, because a hold read with an older balance would count twice. If a wallet has promised too much, nothing is
 * available, not even what the operation holds; a reservation decides likewise.
 */
export const READ_WALLETS_FOR_OPERATIONS = {
  name: 'ledger-wallets-for-operations',
  text: `SELECT CASE WHEN w.held_wei <= w.spendable_wei
                     THEN w.spendable_wei - w.held_wei + coalesce(v.hold_wei, 0) ELSE 0 END AS available_wei,
                k.chain_id IS NOT NULL AND k.halted_reason IS NULL AS is_open
           FROM unnest($1::bigint[], $2::text[], $3::text[], $4::uuid[], $5::text[], $6::numeric[])
                WITH ORDINALITY p(chain_id, contract, wallet, paymaster_id, sender, nonce, n)
           LEFT JOIN ledger.wallets w USING (chain_id, contract, wallet)
           LEFT JOIN ledger.cursors k USING (chain_id)
           LEFT JOIN LATERAL (
                SELECT hold_wei FROM ledger.reservations
                 WHERE wallet_id = w.id AND paymaster_id = p.paymaster_id AND sender = p.sender AND nonce = p.nonce
                   AND closed_at IS NULL
                 LIMIT 1) v ON true
          ORDER BY p.n`,
};

interface Row {
  /** Null for a wallet that never deposited. */
  readonly available_wei: string | null;
  /** Only in the read that all operations of a wallet share. */
  readonly spendable_wei?: string | null;
  readonly is_open: boolean;
}

const MAX_AGE_MS = 1_000;

/** Reads how much wallets can still promise; at most a second old. */
export class WalletReader {
  private readonly wallets: CachedLoader<WalletAccount, Row>;
  private readonly operations: CachedLoader<OperationKey, Row>;

  constructor(database: Database, clock: () => number) {
    this.wallets = new CachedLoader({
      keyOf: accountKey,
      load: (accounts) => database.query<Row>({ ...READ_WALLETS, values: columns(accounts) }),
      maxAgeMs: MAX_AGE_MS,
      clock,
    });
    this.operations = new CachedLoader({
      keyOf: ({ paymasterId, sender, nonce, ...account }) =>
        [accountKey(account), paymasterId, sender, nonce].join('/'),
      load: (keys) =>
        database.query<Row>({
          ...READ_WALLETS_FOR_OPERATIONS,
          values: [
            ...columns(keys),
            keys.map(({ paymasterId }) => paymasterId),
            keys.map(({ sender }) => sender),
            keys.map(({ nonce }) => nonce.toString()),
          ],
        }),
      maxAgeMs: MAX_AGE_MS,
      clock,
    });
  }

  /** @throws {DependencyUnavailableError} `database`, or LEDGER_BEHIND when the chain has no cursor or is halted */
  async availableWei(account: WalletAccount, operation?: PaymasterOperation): Promise<bigint> {
    const row = operation ? this.operations.get({ ...operation, ...account }) : this.wallets.get(account);
    const { available_wei, is_open } = await row;
    if (!is_open) throw ledgerBehind(account.chainId);
    return BigInt(available_wei ?? 0);
  }

  /** What the wallet can spend; what is held is not subtracted. @throws what {@link availableWei} throws */
  async spendableWei(account: WalletAccount): Promise<bigint> {
    const { spendable_wei, is_open } = await this.wallets.get(account);
    if (!is_open) throw ledgerBehind(account.chainId);
    return BigInt(spendable_wei ?? 0);
  }
}

function accountKey({ chainId, contract, wallet }: WalletAccount): string {
  return `${chainId}/${contract}/${wallet}`;
}

function columns(accounts: readonly WalletAccount[]): unknown[][] {
  return [
    accounts.map(({ chainId }) => chainId),
    accounts.map(({ contract }) => contract),
    accounts.map(({ wallet }) => wallet),
  ];
}
