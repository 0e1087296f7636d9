import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { AuditModule } from '../../platform/audit/audit.module';
import { PaymasterLookupModule } from '../paymasters/paymaster-lookup.module';
import { InvitationAcceptance } from './invitation-acceptance';
import { InvitationsController } from './invitations.controller';
import { InvitationsService } from './invitations.service';
import { MembersController } from './members.controller';
import { MembersService } from './members.service';
import { OwnAccountsService } from './own-accounts.service';
import { RolesController } from './roles.controller';
import { RolesService } from './roles.service';
import { OwnersLock } from './owners-lock';

@Module({
  imports: [AccountsModule, AuditModule, PaymasterLookupModule],
  controllers: [InvitationsController, MembersController, RolesController],
  providers: [InvitationAcceptance, InvitationsService, MembersService, OwnAccountsService, OwnersLock, RolesService],
  exports: [InvitationAcceptance, OwnersLock],
})
export class MembersModule {}
