import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { AuditModule } from '../audit/audit.module';
import { PaymasterLookupModule } from '../paymasters/paymaster-lookup.module';
import { InvitationAcceptance } from './invitation-acceptance';

@Module({
  imports: [AccountsModule, AuditModule, PaymasterLookupModule],
  providers: [InvitationAcceptance],
  exports: [InvitationAcceptance],
})
export class MembersModule {}
