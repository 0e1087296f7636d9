import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { AuditModule } from '../audit/audit.module';
import { PaymasterLookupModule } from '../paymasters/paymaster-lookup.module';
import { PolicySnapshotsModule } from '../policy-snapshots/policy-snapshots.module';
import { PoliciesController } from './policies.controller';
import { PoliciesService } from './policies.service';
import { PoliciesStoreModule } from './policies-store.module';
import { PolicyDataParser } from './policy-data/policy-data.parser';

@Module({
  imports: [AccountsModule, AuditModule, PaymasterLookupModule, PoliciesStoreModule, PolicySnapshotsModule],
  controllers: [PoliciesController],
  providers: [PoliciesService, PolicyDataParser],
  exports: [PolicyDataParser],
})
export class PoliciesModule {}
