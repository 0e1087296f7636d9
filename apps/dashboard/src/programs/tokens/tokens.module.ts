import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { ChainsModule } from '../../platform/chains/chains.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { PolicyChangesModule } from '../policy-changes/policy-changes.module';
import { PriceApi } from './price-api';
import { TokenInspection } from './token-inspection.service';
import { TokensController } from './tokens.controller';
import { TokensRepository } from './tokens.repository';
import { TokensService } from './tokens.service';

@Module({
  imports: [AccountsModule, ChainsModule, PaymasterLookupModule, PolicyChangesModule],
  controllers: [TokensController],
  providers: [TokensRepository, TokensService, TokenInspection, PriceApi],
  exports: [TokensService],
})
export class TokensModule {}
