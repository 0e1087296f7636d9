import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { GatewaysModule } from '../gateways/gateways.module';
import { PaymasterLookupModule } from '../paymasters/paymaster-lookup.module';
import { ExplanationsController } from './explanations.controller';

@Module({ imports: [AccountsModule, GatewaysModule, PaymasterLookupModule], controllers: [ExplanationsController] })
export class ExplanationsModule {}
