import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { OperationsModule } from '../operations/operations.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { PoliciesModule } from '../../programs/policies/policies.module';
import { BackTestsController } from './back-tests.controller';

@Module({
  imports: [AccountsModule, OperationsModule, PaymasterLookupModule, PoliciesModule],
  controllers: [BackTestsController],
})
export class BackTestsModule {}
