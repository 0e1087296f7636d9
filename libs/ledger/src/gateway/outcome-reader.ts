import { CachedLoader } from './cached-loader';
import type { Database } from './database';

const READ = {
  name: 'ledger-outcomes',
  text: `SELECT coalesce(sum(o.landed), 0) AS landed, coalesce(sum(o.reverted), 0) AS reverted
           FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) WITH ORDINALITY p(paymaster_id, chain_id, since, n)
           LEFT JOIN ledger.outcomes o
             ON o.paymaster_id = p.paymaster_id AND o.chain_id = p.chain_id AND o.minute >= p.since
          GROUP BY p.n ORDER BY p.n`,
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

/** How a paymaster's operations ended lately, at most a second old. */
export class OutcomeReader {
  private readonly rows: CachedLoader<Question, Row>;

  constructor(database: Database, clock: () => number) {
    this.rows = new CachedLoader({
      keyOf: ({ paymasterId, chainId, sinceMinute }) => `${paymasterId}/${chainId}/${sinceMinute}`,
      load: (questions) =>
        database.query<Row>({
          ...READ,
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

  /** Whole minutes: the one that `sinceSeconds` is in counts. */
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
