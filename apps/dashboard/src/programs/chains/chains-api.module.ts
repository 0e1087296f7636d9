import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { ChainsController } from './chains.controller';
import { ChainsModule } from '../../platform/chains/chains.module';

@Module({ imports: [AccountsModule, ChainsModule, PaymasterLookupModule], controllers: [ChainsController] })
export class ChainsApiModule {}
