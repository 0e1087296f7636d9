import { Module } from '@nestjs/common';
import { AccountEventsModule } from '../../platform/account-events/account-events.module';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { ChainsModule } from '../../platform/chains/chains.module';
import { DeadEventsModule } from '../../platform/dead-events/dead-events.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { LandedCalls } from './landed-calls.service';
import { OperationsConsumer } from './operations.consumer';
import { OperationsController } from './operations.controller';
import { OperationsProjection } from './operations.projection';
import { OperationsRepository } from './operations.repository';

@Module({
  imports: [AccountEventsModule, AccountsModule, ChainsModule, DeadEventsModule, PaymasterLookupModule],
  controllers: [OperationsController],
  providers: [OperationsRepository, OperationsProjection, OperationsConsumer, LandedCalls],
  exports: [OperationsRepository, OperationsConsumer],
})
export class OperationsModule {}
