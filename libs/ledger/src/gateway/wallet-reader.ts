import type { WalletAccount } from '../ledger';
import { CachedLoader } from './cached-loader';
import type { Database } from './database';
import { ledgerBehind } from './refusals';

export const READ_WALLETS = {
  name: 'ledger-wallets',
  text: `SELECT greatest(w.spendable_wei - w.held_wei, 0) AS available_wei,
                k.chain_id IS NOT NULL AND k.halted_reason IS NULL AS is_open
           FROM unnest($1::bigint[], $2::text[], $3::text[]) WITH ORDINALITY p(chain_id, contract, wallet, n)
           LEFT JOIN ledger.wallets w USING (chain_id, contract, wallet)
           LEFT JOIN ledger.cursors k USING (chain_id)
          ORDER BY p.n`,
};

interface Row {
  /** Null for a wallet that never deposited. */
  readonly available_wei: string | null;
  readonly is_open: boolean;
}

/** What wallets can still promise, at most a second old. */
export class WalletReader {
  private readonly rows: CachedLoader<WalletAccount, Row>;

  constructor(database: Database, clock: () => number) {
    this.rows = new CachedLoader({
      keyOf: ({ chainId, contract, wallet }) => `${chainId}/${contract}/${wallet}`,
      load: (accounts) =>
        database.query<Row>({
          ...READ_WALLETS,
          values: [
            accounts.map(({ chainId }) => chainId),
            accounts.map(({ contract }) => contract),
            accounts.map(({ wallet }) => wallet),
          ],
        }),
      maxAgeMs: 1_000,
      clock,
    });
  }

  /** @throws {DependencyUnavailableError} `database`, or LEDGER_BEHIND when the chain has no cursor or is halted */
  async availableWei(account: WalletAccount): Promise<bigint> {
    const { available_wei, is_open } = await this.rows.get(account);
    if (!is_open) throw ledgerBehind(account.chainId);
    return BigInt(available_wei ?? 0);
  }
}
