import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { DeadEventsModule } from '../dead-events/dead-events.module';
import { PaymasterLookupModule } from '../paymasters/paymaster-lookup.module';
import { PoliciesStoreModule } from '../policies/policies-store.module';
import { PolicySnapshotsModule } from '../policy-snapshots/policy-snapshots.module';
import { DeliveryMetrics } from '../metrics/delivery-metrics';
import { DeliveriesRepository } from './deliveries.repository';
import { DeliveriesWorker } from './deliveries.worker';
import { WebhookEventsConsumer } from './webhook-events.consumer';
import { WebhooksController } from './webhooks.controller';
import { WebhooksService } from './webhooks.service';
import { WebhooksStoreModule } from './webhooks-store.module';

@Module({
  imports: [
    AccountsModule,
    DeadEventsModule,
    PaymasterLookupModule,
    PoliciesStoreModule,
    PolicySnapshotsModule,
    WebhooksStoreModule,
  ],
  controllers: [WebhooksController],
  providers: [WebhooksService, DeliveriesRepository, DeliveriesWorker, DeliveryMetrics, WebhookEventsConsumer],
  exports: [DeliveriesRepository, WebhookEventsConsumer],
})
export class WebhooksModule {}
