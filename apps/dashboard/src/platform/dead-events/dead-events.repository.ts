import { Injectable, Logger } from '@nestjs/common';
import type { PoisonMessage } from '@paymaster/messaging';
import { DataSource } from 'typeorm';

/** An event that was given up, as it lies in the table. */
export interface DeadEvent extends PoisonMessage {
  readonly id: string;
  /** When it was given up. */
  readonly at: Date;
  /** Whose it is; its durable name. */
  readonly consumer: string;
}

/** Events that a consumer of the stream gave up, for a person to look at. */
@Injectable()
export class DeadEventsRepository {
  private readonly logger = new Logger(DeadEventsRepository.name);

  constructor(private readonly dataSource: DataSource) {}

  /** @param consumer its durable name */
  async add(consumer: string, { eventId, subject, body, deliveries, problem }: PoisonMessage): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO dashboard.dead_events (consumer, event_id, subject, body, deliveries, problem)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [consumer, eventId, subject, body, deliveries, problem],
    );
    this.logger.error({ consumer, eventId, subject, problem }, 'an event was given up; it is in dead_events');
  }

  /** Those after `afterId`, the oldest first, so many at most. @param ids only these, where there are any */
  async page(afterId: string, limit: number, ids: readonly string[] = []): Promise<DeadEvent[]> {
    return this.dataSource.query<DeadEvent[]>(
      `SELECT id, at, consumer, event_id AS "eventId", subject, body, deliveries, problem
         FROM dashboard.dead_events
        WHERE id > $1 AND (cardinality($3::bigint[]) = 0 OR id = ANY ($3))
        ORDER BY id LIMIT $2`,
      [afterId, limit, ids],
    );
  }

  async delete(id: string): Promise<void> {
    await this.dataSource.query(`DELETE FROM dashboard.dead_events WHERE id = $1`, [id]);
  }
}
