import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { OperationsModule } from '../operations/operations.module';
import { PaymasterLookupModule } from '../paymasters/paymaster-lookup.module';
import { PoliciesModule } from '../policies/policies.module';
import { BackTestsController } from './back-tests.controller';

@Module({
  imports: [AccountsModule, OperationsModule, PaymasterLookupModule, PoliciesModule],
  controllers: [BackTestsController],
})
export class BackTestsModule {}
