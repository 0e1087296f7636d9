import { Module } from '@nestjs/common';
import { AccountEventsModule } from '../account-events/account-events.module';
import { AccountsModule } from '../accounts/accounts.module';
import { ChainsModule } from '../chains/chains.module';
import { DeadEventsModule } from '../dead-events/dead-events.module';
import { GatewaysModule } from '../gateways/gateways.module';
import { PaymasterLookupModule } from '../paymasters/paymaster-lookup.module';
import { LandedCalls } from './landed-calls.service';
import { OperationsConsumer } from './operations.consumer';
import { OperationsController } from './operations.controller';
import { OperationsProjection } from './operations.projection';
import { OperationsRepository } from './operations.repository';

@Module({
  imports: [AccountEventsModule, AccountsModule, ChainsModule, DeadEventsModule, GatewaysModule, PaymasterLookupModule],
  controllers: [OperationsController],
  providers: [OperationsRepository, OperationsProjection, OperationsConsumer, LandedCalls],
  exports: [OperationsRepository, OperationsConsumer],
})
export class OperationsModule {}
