import { Inject, Injectable, Logger } from '@nestjs/common';
import type { PoisonMessage } from '@paymaster/messaging';
import { DataSource } from 'typeorm';

/** Events that a consumer of the stream gave up, for a person to look at. */
@Injectable()
export class DeadEventsRepository {
  private readonly logger = new Logger(DeadEventsRepository.name);

  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** @param consumer its durable name */
  async add(consumer: string, { eventId, subject, body, deliveries, problem }: PoisonMessage): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO dashboard.dead_events (consumer, event_id, subject, body, deliveries, problem)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [consumer, eventId, subject, body, deliveries, problem],
    );
    this.logger.error({ consumer, eventId, subject, problem }, 'an event was given up; it is in dead_events');
  }
}
