import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { AuditModule } from '../../platform/audit/audit.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { PolicyChangesModule } from '../policy-changes/policy-changes.module';
import { PoliciesController } from './policies.controller';
import { PoliciesService } from './policies.service';
import { PoliciesStoreModule } from './policies-store.module';
import { PolicyDataParser } from './policy-data.parser';

@Module({
  imports: [AccountsModule, AuditModule, PaymasterLookupModule, PoliciesStoreModule, PolicyChangesModule],
  controllers: [PoliciesController],
  providers: [PoliciesService, PolicyDataParser],
  exports: [PoliciesService, PolicyDataParser],
})
export class PoliciesModule {}
