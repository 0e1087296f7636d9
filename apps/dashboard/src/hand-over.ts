import { parseSponsorshipEvent, type SponsorshipEvent } from '@paymaster/messaging';
import type { DataSource } from 'typeorm';
import { AccountEventsRepository } from './platform/account-events/account-events.repository';
import { OPERATIONS_CONSUMER } from './activity/operations/operations.consumer';
import { OperationsProjection } from './activity/operations/operations.projection';
import { DeliveriesRepository } from './outbound/webhooks/deliveries.repository';
import { WEBHOOKS_CONSUMER } from './outbound/webhooks/webhook-events.consumer';
import type { DeadEvent } from './platform/dead-events/dead-event';

/** What each consumer of the stream does with an event; doing it twice is doing it once. */
export type Handlers = ReadonlyMap<string, (event: SponsorshipEvent) => Promise<void>>;

export function handlersOn(dataSource: DataSource): Handlers {
  const projection = new OperationsProjection(dataSource, new AccountEventsRepository(dataSource));
  const deliveries = new DeliveriesRepository(dataSource);
  return new Map([
    [OPERATIONS_CONSUMER, (event) => projection.apply(event)],
    [WEBHOOKS_CONSUMER, (event) => deliveries.enqueueEvent(event)],
  ]);
}

/** Hands an event once more to the consumer that gave it up. @throws what keeps it from being handled */
export async function handOver({ consumer, body }: DeadEvent, handlers: Handlers): Promise<void> {
  const handle = handlers.get(consumer);
  if (!handle) throw new Error(`there is no consumer ${consumer}`);
  await handle(parseSponsorshipEvent(Buffer.from(body)));
}
