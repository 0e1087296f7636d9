import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { GatewaysModule } from '../../outbound/gateways/gateways.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { ExplanationsController } from './explanations.controller';

@Module({ imports: [AccountsModule, GatewaysModule, PaymasterLookupModule], controllers: [ExplanationsController] })
export class ExplanationsModule {}
