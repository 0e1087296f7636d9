import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { PoliciesModule } from '../policies/policies.module';
import { PoliciesStoreModule } from '../policies/policies-store.module';
import { PolicyChangesModule } from '../policy-changes/policy-changes.module';
import { SharedPoliciesController } from './shared-policies.controller';
import { SharedPoliciesRepository } from './shared-policies.repository';
import { SharedPoliciesService } from './shared-policies.service';

@Module({
  imports: [AccountsModule, PaymasterLookupModule, PoliciesModule, PoliciesStoreModule, PolicyChangesModule],
  controllers: [SharedPoliciesController],
  providers: [SharedPoliciesService, SharedPoliciesRepository],
})
export class SharedPoliciesModule {}
