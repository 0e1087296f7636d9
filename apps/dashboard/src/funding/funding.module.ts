import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { ChainsModule } from '../chains/chains.module';
import { CryptoModule } from '../crypto/crypto.module';
import { PaymasterLookupModule } from '../paymasters/paymaster-lookup.module';
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
