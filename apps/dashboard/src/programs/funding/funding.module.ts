import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { ChainsModule } from '../../platform/chains/chains.module';
import { CryptoModule } from '../../platform/crypto/crypto.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { PolicyChangesModule } from '../policy-changes/policy-changes.module';
import { FundingController } from './funding.controller';
import { FundingMessagesRepository } from './funding-messages.repository';
import { FundingService } from './funding.service';

@Module({
  imports: [AccountsModule, ChainsModule, CryptoModule, PaymasterLookupModule, PolicyChangesModule],
  controllers: [FundingController],
  providers: [FundingMessagesRepository, FundingService],
})
export class FundingModule {}
