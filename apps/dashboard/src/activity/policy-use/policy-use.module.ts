import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { GatewaysModule } from '../../outbound/gateways/gateways.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { PoliciesStoreModule } from '../../programs/policies/policies-store.module';
import { SharedPoliciesRepository } from '../../programs/shared-policies/shared-policies.repository';
import { PolicyUseController } from './policy-use.controller';
import { PolicyUseService } from './policy-use.service';

@Module({
  imports: [AccountsModule, GatewaysModule, PaymasterLookupModule, PoliciesStoreModule],
  controllers: [PolicyUseController],
  providers: [PolicyUseService, SharedPoliciesRepository],
  exports: [PolicyUseService],
})
export class PolicyUseModule {}
