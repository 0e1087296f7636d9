import { Module } from '@nestjs/common';
import { AccountEventsModule } from '../../platform/account-events/account-events.module';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { ChainsModule } from '../../platform/chains/chains.module';
import { DeadEventsModule } from '../../platform/dead-events/dead-events.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { PoliciesStoreModule } from '../../programs/policies/policies-store.module';
import { SmartContractsModule } from '../../programs/smart-contracts/smart-contracts.module';
import { TokensModule } from '../../programs/tokens/tokens.module';
import { LandedCalls } from './landed-calls.service';
import { OperationNames } from './operation-names';
import { OperationsConsumer } from './operations.consumer';
import { OperationsController } from './operations.controller';
import { OperationsProjection } from './operations.projection';
import { OperationsRepository } from './operations.repository';

@Module({
  imports: [
    AccountEventsModule,
    AccountsModule,
    ChainsModule,
    DeadEventsModule,
    PaymasterLookupModule,
    PoliciesStoreModule,
    SmartContractsModule,
    TokensModule,
  ],
  controllers: [OperationsController],
  providers: [OperationsRepository, OperationsProjection, OperationsConsumer, LandedCalls, OperationNames],
  exports: [OperationsRepository, OperationsConsumer],
})
export class OperationsModule {}
