import { Module } from '@nestjs/common';
import { ApiKeysModule } from './api-keys/api-keys.module';
import { ChainsApiModule } from './chains/chains-api.module';
import { FundingModule } from './funding/funding.module';
import { NamedKeysModule } from './named-keys/named-keys.module';
import { PaymastersModule } from './paymasters/paymasters.module';
import { PoliciesModule } from './policies/policies.module';
import { PolicyTransferModule } from './policy-transfer/policy-transfer.module';
import { SessionKeysModule } from './session-keys/session-keys.module';
import { SeveralPaymastersModule } from './several-paymasters/several-paymasters.module';
import { SharedPoliciesModule } from './shared-policies/shared-policies.module';
import { SmartContractsModule } from './smart-contracts/smart-contracts.module';
import { TokensModule } from './tokens/tokens.module';

@Module({
  imports: [
    ChainsApiModule,
    PaymastersModule,
    ApiKeysModule,
    NamedKeysModule,
    SessionKeysModule,
    SmartContractsModule,
    TokensModule,
    PoliciesModule,
    SharedPoliciesModule,
    SeveralPaymastersModule,
    PolicyTransferModule,
    FundingModule,
  ],
})
export class ProgramsModule {}
