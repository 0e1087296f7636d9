import { Inject, Injectable } from '@nestjs/common';
import { Metrics } from '@paymaster/nest-kit';
import { Pool } from 'pg';
import { FOLLOWED_CHAINS, type FollowedChain } from '../following/followed-chain';

interface UnpaidRow {
  readonly chain: string;
  readonly is_taken: boolean;
  readonly wei: string;
}

/** Counts final blocks only, because a total must not fall when a block is undone. */
const UNPAID = `
  SELECT u.chain_id AS chain, u.is_taken, sum(r.charged_wei) AS wei
    FROM ledger.unpaid_operations u JOIN ledger.reservations r ON r.id = u.reservation_id AND r.state = 'settled'
   GROUP BY 1, 2`;

/** Reads the budgets of senders: an operation holds its amount there once, however many tokens it was signed for. */
const EXPOSED = `
  SELECT r.chain_id AS chain, sum(h.amount) AS wei
    FROM ledger.reservations r JOIN ledger.holds h ON h.reservation_id = r.id AND h.unit = 'exposureWei'
    JOIN ledger.budgets b ON b.id = h.budget_id AND b.key LIKE 'exposure:%:sender:%'
   WHERE r.closed_at IS NULL
   GROUP BY 1`;

/** What payments in tokens may leave unpaid now, and what they have left unpaid; over all wallets of a chain. */
@Injectable()
export class ExposureGauges {
  constructor(metrics: Metrics, pool: Pool, @Inject(FOLLOWED_CHAINS) chains: readonly FollowedChain[]) {
    const followed = chains.map(({ config }) => String(config.chainId));
    metrics.gauge(
      {
        name: 'paymaster_token_exposure_wei',
        help: 'What operations that are not final may leave unpaid in tokens, at most',
        labelNames: ['chain'],
      },
      async () => {
        const { rows } = await pool.query<Omit<UnpaidRow, 'is_taken'>>(EXPOSED);
        return followed.map((chain) => ({
          labels: { chain },
          value: Number(rows.find((row) => row.chain === chain)?.wei ?? 0),
        }));
      },
    );
    metrics.total(
      {
        name: 'paymaster_token_unpaid_wei_total',
        help: 'What operations that did not pay in tokens cost: their calls reverted, or the tokens were taken away',
        labelNames: ['chain', 'why'],
      },
      async () => {
        const { rows } = await pool.query<UnpaidRow>(UNPAID);
        return followed.flatMap((chain) =>
          ['due', 'taken'].map((why) => ({
            labels: { chain, why },
            value: Number(rows.find((row) => row.chain === chain && row.is_taken === (why === 'taken'))?.wei ?? 0),
          })),
        );
      },
    );
  }
}
