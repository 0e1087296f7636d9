import { Injectable } from '@nestjs/common';
import { Metrics } from '@paymaster/nest-kit';
import { OperationsConsumer } from '../activity/operations/operations.consumer';
import { WebhookEventsConsumer } from '../outbound/webhooks/webhook-events.consumer';

/** Whether operations, usage and webhooks follow what happens. */
@Injectable()
export class StreamGauges {
  constructor(metrics: Metrics, operations: OperationsConsumer, webhooks: WebhookEventsConsumer) {
    const labelNames = ['consumer'];
    const streams = () => [operations.stream, webhooks.stream];
    metrics.gauge(
      { name: 'paymaster_event_consumer_up', help: '1 while the event stream answers this process', labelNames },
      () => streams().map(({ consumer, pending }) => ({ labels: { consumer }, value: pending === undefined ? 0 : 1 })),
    );
    metrics.gauge(
      { name: 'paymaster_event_consumer_pending', help: 'Events in the stream that nobody has read yet', labelNames },
      () =>
        streams().flatMap(({ consumer, pending }) =>
          pending === undefined ? [] : [{ labels: { consumer }, value: pending }],
        ),
    );
  }
}
