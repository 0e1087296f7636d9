import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { PoisonMessage } from '@paymaster/messaging';
import { And, In, MoreThan, Repository } from 'typeorm';
import { DeadEvent } from './dead-event';

/** Events that a consumer of the stream gave up, for a person to look at. */
@Injectable()
export class DeadEventsRepository {
  private readonly logger = new Logger(DeadEventsRepository.name);

  constructor(@InjectRepository(DeadEvent) private readonly events: Repository<DeadEvent>) {}

  /** @param consumer its durable name */
  async add(consumer: string, message: PoisonMessage): Promise<void> {
    await this.events.insert({ consumer, ...message });
    const { eventId, subject, problem } = message;
    this.logger.error({ consumer, eventId, subject, problem }, 'an event was given up; it is in dead_events');
  }

  /** Those after `afterId`, the oldest first, so many at most. @param ids only these, where there are any */
  async page(afterId: string, limit: number, ids: readonly string[] = []): Promise<DeadEvent[]> {
    const id = ids.length === 0 ? MoreThan(afterId) : And(MoreThan(afterId), In(ids));
    return this.events.find({ where: { id }, order: { id: 'ASC' }, take: limit });
  }

  async delete(id: string): Promise<void> {
    await this.events.delete({ id });
  }
}
