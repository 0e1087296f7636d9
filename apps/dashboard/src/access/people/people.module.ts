import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { AuditModule } from '../../platform/audit/audit.module';
import { InvitationsRepository } from './invitations.repository';
import { Memberships } from './memberships';
import { Operators } from './operators';
import { PeopleRepository } from './people.repository';
import { RolesRepository } from './roles.repository';
import { SecondFactorsRepository } from './second-factors.repository';
import { Sessions } from './sessions';
import { SignInCodes } from './sign-in-codes';

const PARTS = [
  ...[InvitationsRepository, Memberships, Operators, PeopleRepository, RolesRepository],
  ...[SecondFactorsRepository, Sessions, SignInCodes],
];

/** People, their sessions and memberships, for the guards and for every feature about them. */
@Module({ imports: [AccountsModule, AuditModule], providers: PARTS, exports: PARTS })
export class PeopleModule {}
