import type { SponsorshipEvent } from '@paymaster/messaging';
import type { DeliveriesRepository } from './deliveries.repository';
import { eventMessage } from './event-message';

/** Queues an event for the webhooks that want to be told. Idempotent: a delivery is unique by webhook and event. */
export async function queueEvent(deliveries: DeliveriesRepository, event: SponsorshipEvent): Promise<void> {
  const message = eventMessage(event);
  if (message && event.paymasterId !== null) await deliveries.enqueue(event.paymasterId, message);
}
