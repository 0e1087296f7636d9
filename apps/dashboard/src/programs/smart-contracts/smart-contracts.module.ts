import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { ChainsModule } from '../../platform/chains/chains.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { PolicyChangesModule } from '../policy-changes/policy-changes.module';
import { AbiAnswers } from './abi-answers';
import { ContractCode } from './contract-code';
import { createSelectorOf, SELECTOR_OF } from './abi/selector';
import { SmartContractsController } from './smart-contracts.controller';
import { SmartContractsRepository } from './smart-contracts.repository';
import { SmartContractsService } from './smart-contracts.service';

@Module({
  imports: [AccountsModule, ChainsModule, PaymasterLookupModule, PolicyChangesModule],
  controllers: [SmartContractsController],
  providers: [
    AbiAnswers,
    ContractCode,
    SmartContractsRepository,
    SmartContractsService,
    { provide: SELECTOR_OF, useFactory: createSelectorOf },
  ],
  exports: [AbiAnswers, SmartContractsRepository, SmartContractsService],
})
export class SmartContractsModule {}
