import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DashboardConfig } from '../config/dashboard.config';

const INTERVAL_MS = 3_600_000;
/** Rows per statement: short locks, and a statement's own time limit is far away. */
const PAGE = 5_000;

/** What is forgotten, and by which column it is old; kept for so many times EVENT_RETENTION_DAYS. */
const OLD_ROWS = [
  { table: 'operations', where: `state = 'refused' AND created_at < now() - $1 * interval '1 day'`, times: 1 },
  { table: 'webhook_deliveries', where: `status <> 'pending' AND ended_at < now() - $1 * interval '1 day'`, times: 1 },
  { table: 'alert_deliveries', where: `status <> 'pending' AND ended_at < now() - $1 * interval '1 day'`, times: 1 },
  // A page that was away for longer reads everything again.
  { table: 'account_events', where: `at < now() - least($1, 1) * interval '1 day'`, times: 1 },
  { table: 'near_networks', where: `at < now() - least($1, 1) * interval '1 day'`, times: 1 },
  { table: 'request_log', where: `expires_at < now() - $1 * interval '1 day'`, times: 0 },
  { table: 'request_log_hours', where: `hour < now() - least($1, 2) * interval '1 day'`, times: 1 },
  { table: 'dead_events', where: `at < now() - $1 * interval '1 day'`, times: 1 },
  // Twice as long: the stream must never hold an event whose id was forgotten, or it would count again.
  { table: 'consumed_events', where: `consumed_at < now() - $1 * interval '1 day'`, times: 2 },
  // At once: a key that has ended is looked for by nobody.
  { table: 'former_api_keys', where: `valid_until < now() - $1 * interval '1 day'`, times: 0 },
  { table: 'named_key_texts', where: `valid_until < now() - $1 * interval '1 day'`, times: 0 },
  { table: 'sign_in_codes', where: `expires_at < now() - $1 * interval '1 day'`, times: 0 },
  { table: 'mail_confirmations', where: `expires_at < now() - $1 * interval '1 day'`, times: 0 },
  { table: 'sent_mails', where: `sent_at < now() - ($1 + 1) * interval '1 day'`, times: 0 },
  {
    table: 'second_factors',
    where: `confirmed_at IS NULL AND created_at < now() - ($1 + 1) * interval '1 day'`,
    times: 0,
  },
  { table: 'second_factor_tries', where: `at < now() - ($1 + 1) * interval '1 day'`, times: 0 },
  { table: 'invitations', where: `expires_at < now() - $1 * interval '1 day'`, times: 0 },
  { table: 'sessions', where: `expires_at < now() - $1 * interval '1 day'`, times: 0 },
  // A day later, so that no clock that is late takes a used nonce for a current one.
  { table: 'used_nonces', where: `expires_at < now() - ($1 + 1) * interval '1 day'`, times: 0 },
] as const;

/**
 * Forgets what strangers can make any number of: refusals, and the log of what was told; and what has ended: API
 * keys, sessions, codes, invitations, nonces.
 * What was granted stays, and so does usage. Every process does; deleting twice is deleting once.
 */
@Injectable()
export class Retention implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(Retention.name);
  private timer: NodeJS.Timeout | undefined;
  private forgetting: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(DashboardConfig) private readonly config: Pick<DashboardConfig, 'eventRetentionDays'>,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.forgetting = this.forget().catch(({ message }: Error) =>
        this.logger.warn({ problem: message }, 'old rows could not be deleted'),
      );
    }, INTERVAL_MS);
    this.timer.unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.forgetting;
  }

  /** Deletes all that is too old. */
  async forget(): Promise<void> {
    for (const { table, where, times } of OLD_ROWS) {
      let deleted = PAGE;
      while (deleted === PAGE && !this.stopped) {
        [, deleted] = (await this.dataSource.query(
          `DELETE FROM dashboard.${table} WHERE ctid IN (SELECT ctid FROM dashboard.${table} WHERE ${where} LIMIT ${PAGE})`,
          [times * this.config.eventRetentionDays],
        )) as [unknown[], number];
      }
    }
    await this.forgetCutRequests();
  }

  /** Of the request logs whose owners shortened the time, or erased them. */
  private async forgetCutRequests(): Promise<void> {
    let deleted = PAGE;
    while (deleted === PAGE && !this.stopped) {
      [, deleted] = (await this.dataSource.query(
        `DELETE FROM dashboard.request_log WHERE ctid IN (
           SELECT r.ctid FROM dashboard.request_log_cuts c
             JOIN dashboard.request_log r ON r.paymaster_id = c.paymaster_id AND r.at < c.before LIMIT ${PAGE})`,
      )) as [unknown[], number];
    }
  }
}
