import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { GatewaysModule } from '../gateways/gateways.module';
import { PaymasterLookupModule } from '../paymasters/paymaster-lookup.module';
import { TokenPricesController } from './token-prices.controller';

@Module({ imports: [AccountsModule, GatewaysModule, PaymasterLookupModule], controllers: [TokenPricesController] })
export class TokenPricesModule {}
