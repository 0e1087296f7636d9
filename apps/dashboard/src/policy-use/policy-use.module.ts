import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { GatewaysModule } from '../gateways/gateways.module';
import { PaymasterLookupModule } from '../paymasters/paymaster-lookup.module';
import { PoliciesStoreModule } from '../policies/policies-store.module';
import { SharedPoliciesRepository } from '../shared-policies/shared-policies.repository';
import { PolicyUseController } from './policy-use.controller';
import { PolicyUseService } from './policy-use.service';

@Module({
  imports: [AccountsModule, GatewaysModule, PaymasterLookupModule, PoliciesStoreModule],
  controllers: [PolicyUseController],
  providers: [PolicyUseService, SharedPoliciesRepository],
})
export class PolicyUseModule {}
