import { CachedLoader } from './cached-loader';
import type { Database } from './database';

export const READ_OUTCOMES = {
  name: 'ledger-outcomes',
  text: `SELECT o.landed, o.reverted
           FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) WITH ORDINALITY p(paymaster_id, chain_id, since, n)
          CROSS JOIN LATERAL (
                SELECT coalesce(sum(landed), 0) AS landed, coalesce(sum(reverted), 0) AS reverted FROM ledger.outcomes
                 WHERE paymaster_id = p.paymaster_id AND chain_id = p.chain_id AND minute >= p.since) o
          ORDER BY p.n`,
};

interface Question {
  readonly paymasterId: string;
  readonly chainId: number;
  /** Minutes since 1970. */
  readonly sinceMinute: number;
}

interface Row {
  readonly landed: string;
  readonly reverted: string;
}

/** How a paymaster's recent operations ended; at most a second old. */
export class OutcomeReader {
  private readonly rows: CachedLoader<Question, Row>;

  constructor(database: Database, clock: () => number) {
    this.rows = new CachedLoader({
      keyOf: ({ paymasterId, chainId, sinceMinute }) => `${paymasterId}/${chainId}/${sinceMinute}`,
      load: (questions) =>
        database.query<Row>({
          ...READ_OUTCOMES,
          values: [
            questions.map(({ paymasterId }) => paymasterId),
            questions.map(({ chainId }) => chainId),
            questions.map(({ sinceMinute }) => sinceMinute),
          ],
        }),
      maxAgeMs: 1_000,
      clock,
    });
  }

  /** Counts outcomes of whole minutes, from the minute of `sinceSeconds` on. */
  async outcomes(query: {
    paymasterId: string;
    chainId: number;
    sinceSeconds: number;
  }): Promise<{ landed: number; reverted: number }> {
    const { paymasterId, chainId, sinceSeconds } = query;
    const row = await this.rows.get({ paymasterId, chainId, sinceMinute: Math.floor(sinceSeconds / 60) });
    return { landed: Number(row.landed), reverted: Number(row.reverted) };
  }
}
