import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { PaymastersModule } from '../paymasters/paymasters.module';
import { PoliciesStoreModule } from '../policies/policies-store.module';
import { PoliciesModule } from '../policies/policies.module';
import { PolicyChangesModule } from '../policy-changes/policy-changes.module';
import { SmartContractsModule } from '../smart-contracts/smart-contracts.module';
import { PolicyExportService } from './policy-export.service';
import { PolicyImportService } from './policy-import.service';
import { PolicyTransferController } from './policy-transfer.controller';

@Module({
  imports: [
    AccountsModule,
    PaymasterLookupModule,
    PaymastersModule,
    PoliciesModule,
    PoliciesStoreModule,
    PolicyChangesModule,
    SmartContractsModule,
  ],
  controllers: [PolicyTransferController],
  providers: [PolicyExportService, PolicyImportService],
})
export class PolicyTransferModule {}
