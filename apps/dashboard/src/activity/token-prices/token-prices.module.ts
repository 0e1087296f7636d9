import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { GatewaysModule } from '../../outbound/gateways/gateways.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { TokenPricesController } from './token-prices.controller';

@Module({ imports: [AccountsModule, GatewaysModule, PaymasterLookupModule], controllers: [TokenPricesController] })
export class TokenPricesModule {}
