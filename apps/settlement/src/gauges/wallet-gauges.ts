import { Inject, Injectable } from '@nestjs/common';
import { ServedContracts } from '@paymaster/chain';
import type { Address } from '@paymaster/domain';
import { Metrics, type Sample } from '@paymaster/nest-kit';
import { Pool } from 'pg';
import { FOLLOWED_CHAINS, type FollowedChain } from '../following/followed-chain';

/** The most wallets of one chain that are shown. */
const SHOWN_PER_CHAIN = 20;
/** The wallets of this many latest operations count as used. Anybody can make unused wallets by deposits of one wei. */
const LATEST_OPERATIONS = 10_000;
/** How long an answer is cached; milliseconds. */
const FRESH_MS = 15_000;

interface WalletRow {
  readonly chain: string;
  readonly wallet: string;
  readonly available: string;
  /** How many of the chain's used wallets hold more for operations under way than they can spend. */
  readonly low: string;
}

/**
 * A wallet that is served by several contracts is shown by its account with the least. Accounts in contracts for which
 * nothing is signed are left out: they are empty before a move, or become empty.
 */
const LOWEST = `
  WITH used AS (
    SELECT DISTINCT wallet_id FROM (
      SELECT wallet_id FROM ledger.reservations WHERE paymaster_id IS NOT NULL ORDER BY id DESC LIMIT $1) latest
  ), accounts AS (
    SELECT chain_id, wallet, min(greatest(spendable_wei - held_wei, 0)) AS available,
           bool_or(spendable_wei - held_wei <= held_wei) AS low
      FROM used JOIN ledger.wallets w ON w.id = used.wallet_id
     WHERE NOT EXISTS (SELECT FROM unnest($3::bigint[], $4::text[]) AS beside (chain_id, contract)
                       WHERE beside.chain_id = w.chain_id AND beside.contract = w.contract)
     GROUP BY chain_id, wallet
  ), ranked AS (
    SELECT *, row_number() OVER (PARTITION BY chain_id ORDER BY available, wallet) AS place,
           count(*) FILTER (WHERE low) OVER (PARTITION BY chain_id) AS low_wallets
      FROM accounts
  )
  SELECT chain_id AS chain, wallet, available, low_wallets AS low FROM ranked WHERE place <= $2`;

/** What the funding wallets of the latest operations can still promise; the lowest of each chain. */
@Injectable()
export class WalletGauges {
  private rows: Promise<readonly WalletRow[]> = Promise.resolve([]);
  private readAtMs = -Infinity;
  /** Contracts that are followed, and for which nothing is signed. */
  private readonly besideSigned: readonly { readonly chainId: number; readonly paymaster: Address }[];

  constructor(
    metrics: Metrics,
    private readonly pool: Pool,
    @Inject(FOLLOWED_CHAINS) chains: readonly FollowedChain[],
  ) {
    this.besideSigned = chains.flatMap(({ config: { chainId, entryPoints } }) =>
      new ServedContracts(entryPoints).all
        .filter(({ isSignedFor }) => !isSignedFor)
        .map(({ paymaster }) => ({ chainId, paymaster })),
    );
    metrics.gauge(
      {
        name: 'paymaster_funding_wallet_balance_wei',
        help: 'What a funding wallet can still promise; the lowest of a chain, of those that were used lately',
        labelNames: ['chain', 'wallet'],
      },
      async () =>
        (await this.lowest()).map(({ chain, wallet, available }) => ({
          labels: { chain, wallet },
          value: Number(available),
        })),
    );
    metrics.gauge(
      {
        name: 'paymaster_funding_wallets_low',
        help: 'Funding wallets that have no more left than what they hold for operations under way',
        labelNames: ['chain'],
      },
      async () => lowByChain(await this.lowest()),
    );
  }

  /** Two gauges and two scrapers share one read. */
  private lowest(): Promise<readonly WalletRow[]> {
    const nowMs = performance.now();
    if (nowMs - this.readAtMs < FRESH_MS) return this.rows;
    this.readAtMs = nowMs;
    const beside = [
      this.besideSigned.map(({ chainId }) => chainId),
      this.besideSigned.map(({ paymaster }) => paymaster),
    ];
    this.rows = this.pool
      .query<WalletRow>(LOWEST, [LATEST_OPERATIONS, SHOWN_PER_CHAIN, ...beside])
      .then(({ rows }) => rows);
    this.rows.catch(() => (this.readAtMs = -Infinity));
    return this.rows;
  }
}

function lowByChain(rows: readonly WalletRow[]): Sample[] {
  const counts = new Map(rows.map(({ chain, low }) => [chain, Number(low)]));
  return [...counts].map(([chain, value]) => ({ labels: { chain }, value }));
}
