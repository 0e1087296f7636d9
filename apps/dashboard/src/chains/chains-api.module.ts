import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { PaymasterLookupModule } from '../paymasters/paymaster-lookup.module';
import { ChainsController } from './chains.controller';
import { ChainsModule } from './chains.module';

@Module({ imports: [AccountsModule, ChainsModule, PaymasterLookupModule], controllers: [ChainsController] })
export class ChainsApiModule {}
