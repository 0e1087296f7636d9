import { Injectable } from '@nestjs/common';
import { Metrics } from '@paymaster/nest-kit';
import { DataSource } from 'typeorm';

/** How long an answer is given again; milliseconds. */
const FRESH_MS = 15_000;
/** More are not counted: a receiver that is down for days leaves any number. */
const MOST_COUNTED = 100_000;
/** A message that is due for longer waits for us, or for those before it; seconds. */
const BEHIND_SECONDS = 300;

interface Backlog {
  readonly pending: string;
  readonly oldestDueSeconds: string;
  readonly accountsBehind: string;
  readonly deadEvents: Readonly<Record<string, number>> | null;
}

/** The first due message of each webhook is one look at an index. */
const BACKLOG = `
  WITH due AS (
    SELECT p.account_id, first.next_attempt_at AS at
      FROM dashboard.webhooks w JOIN dashboard.paymasters p ON p.id = w.paymaster_id
     CROSS JOIN LATERAL (
           SELECT next_attempt_at FROM dashboard.webhook_deliveries
            WHERE webhook_id = w.id AND status = 'pending' AND next_attempt_at <= now()
            ORDER BY next_attempt_at LIMIT 1) first
     WHERE w.active AND cardinality(w.events) > 0
  )
  SELECT (SELECT count(*) FROM (
            SELECT FROM dashboard.webhook_deliveries WHERE status = 'pending' LIMIT $1) counted) AS pending,
         coalesce(extract(epoch FROM now() - min(at)), 0) AS "oldestDueSeconds",
         count(DISTINCT account_id) FILTER (WHERE at < now() - $2 * interval '1 second') AS "accountsBehind",
         (SELECT json_object_agg(consumer, events) FROM (
            SELECT consumer, count(*) AS events FROM dashboard.dead_events GROUP BY consumer) dead) AS "deadEvents"
    FROM due`;

/** What waits in Postgres to be told to event webhooks, and events that were given up and wait for a person. */
@Injectable()
export class BacklogGauges {
  private read: Promise<Backlog> | undefined;
  private readAtMs = -Infinity;

  constructor(
    metrics: Metrics,
    private readonly dataSource: DataSource,
  ) {
    const deliveries = 'paymaster_webhook_deliveries';
    metrics.gauge(
      { name: `${deliveries}_pending`, help: `Deliveries that have not ended, ${MOST_COUNTED} at most` },
      async () => Number((await this.backlog()).pending),
    );
    metrics.gauge(
      { name: `${deliveries}_oldest_due_seconds`, help: 'For how long the oldest delivery could have been tried' },
      async () => Number((await this.backlog()).oldestDueSeconds),
    );
    metrics.gauge(
      {
        name: 'paymaster_webhook_accounts_behind',
        help: `Accounts with a delivery that could have been tried ${BEHIND_SECONDS} s ago`,
      },
      async () => Number((await this.backlog()).accountsBehind),
    );
    metrics.gauge(
      {
        name: 'paymaster_dead_events',
        help: 'Events that a consumer of the stream gave up, until a person has taken them out of the table',
        labelNames: ['consumer'],
      },
      async () =>
        Object.entries((await this.backlog()).deadEvents ?? {}).map(([consumer, value]) => ({
          labels: { consumer },
          value,
        })),
    );
  }

  /** All gauges and scrapers share one look. */
  private backlog(): Promise<Backlog> {
    const nowMs = performance.now();
    if (this.read && nowMs - this.readAtMs < FRESH_MS) return this.read;
    this.readAtMs = nowMs;
    this.read = this.dataSource
      .query<Backlog[]>(BACKLOG, [MOST_COUNTED, BEHIND_SECONDS])
      .then(([row]) => row as Backlog);
    this.read.catch(() => (this.read = undefined));
    return this.read;
  }
}
