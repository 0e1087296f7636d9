import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { AuditModule } from '../../platform/audit/audit.module';
import { MembersModule } from '../members/members.module';
import { PaymasterLookupModule } from '../paymasters/paymaster-lookup.module';
import { AuthTokensController } from './auth-tokens.controller';
import { AuthTokensService } from './auth-tokens.service';

@Module({
  imports: [AccountsModule, AuditModule, MembersModule, PaymasterLookupModule],
  controllers: [AuthTokensController],
  providers: [AuthTokensService],
})
export class AuthTokensModule {}
