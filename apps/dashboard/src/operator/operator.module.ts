import { Module } from '@nestjs/common';
import { AccountEventsModule } from '../platform/account-events/account-events.module';
import { ChainsModule } from '../platform/chains/chains.module';
import { GatewaysModule } from '../outbound/gateways/gateways.module';
import { PaymasterLookupModule } from '../access/paymasters/paymaster-lookup.module';
import { PolicyChangesModule } from '../programs/policy-changes/policy-changes.module';
import { WebhooksModule } from '../outbound/webhooks/webhooks.module';
import { ChainStates } from './chain-states.service';
import { OperatorController } from './operator.controller';
import { Suspensions } from './suspensions.service';
import { TenantFunds } from './tenant-funds.service';
import { TenantsRepository } from './tenants.repository';

/** What the operator of the installation sees and does, over all accounts. */
@Module({
  imports: [
    AccountEventsModule,
    ChainsModule,
    GatewaysModule,
    PaymasterLookupModule,
    PolicyChangesModule,
    WebhooksModule,
  ],
  controllers: [OperatorController],
  providers: [ChainStates, Suspensions, TenantFunds, TenantsRepository],
})
export class OperatorModule {}
