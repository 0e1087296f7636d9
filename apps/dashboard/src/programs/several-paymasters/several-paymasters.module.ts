import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { PoliciesModule } from '../policies/policies.module';
import { SmartContractsModule } from '../smart-contracts/smart-contracts.module';
import { SeveralPaymastersController } from './several-paymasters.controller';
import { SeveralPaymastersService } from './several-paymasters.service';

@Module({
  imports: [AccountsModule, PaymasterLookupModule, PoliciesModule, SmartContractsModule],
  controllers: [SeveralPaymastersController],
  providers: [SeveralPaymastersService],
})
export class SeveralPaymastersModule {}
