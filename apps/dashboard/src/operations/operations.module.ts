import { Module } from '@nestjs/common';
import { AccountEventsModule } from '../account-events/account-events.module';
import { AccountsModule } from '../accounts/accounts.module';
import { DeadEventsModule } from '../dead-events/dead-events.module';
import { GatewaysModule } from '../gateways/gateways.module';
import { PaymasterLookupModule } from '../paymasters/paymaster-lookup.module';
import { OperationsConsumer } from './operations.consumer';
import { OperationsController } from './operations.controller';
import { OperationsProjection } from './operations.projection';
import { OperationsRepository } from './operations.repository';

@Module({
  imports: [AccountEventsModule, AccountsModule, DeadEventsModule, GatewaysModule, PaymasterLookupModule],
  controllers: [OperationsController],
  providers: [OperationsRepository, OperationsProjection, OperationsConsumer],
  exports: [OperationsRepository, OperationsConsumer],
})
export class OperationsModule {}
