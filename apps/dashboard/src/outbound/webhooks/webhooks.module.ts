import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { DeadEventsModule } from '../../platform/dead-events/dead-events.module';
import { NearNetworksModule } from '../near-networks/near-networks.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { PoliciesStoreModule } from '../../programs/policies/policies-store.module';
import { PolicyChangesModule } from '../../programs/policy-changes/policy-changes.module';
import { DeliveryMetrics } from './delivery-metrics';
import { DeliveriesRepository } from './deliveries.repository';
import { DeliveriesWorker } from './deliveries.worker';
import { WebhookEventsConsumer } from './webhook-events.consumer';
import { WebhookSender } from './webhook-sender';
import { WebhooksController } from './webhooks.controller';
import { WebhooksService } from './webhooks.service';
import { WebhooksStoreModule } from './webhooks-store.module';

@Module({
  imports: [
    AccountsModule,
    DeadEventsModule,
    NearNetworksModule,
    PaymasterLookupModule,
    PoliciesStoreModule,
    PolicyChangesModule,
    WebhooksStoreModule,
  ],
  controllers: [WebhooksController],
  providers: [
    WebhooksService,
    WebhookSender,
    DeliveriesRepository,
    DeliveriesWorker,
    DeliveryMetrics,
    WebhookEventsConsumer,
  ],
  exports: [DeliveriesRepository, DeliveryMetrics, WebhookEventsConsumer],
})
export class WebhooksModule {}
