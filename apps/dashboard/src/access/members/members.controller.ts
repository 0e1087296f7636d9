import { Body, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import type { Account } from '../accounts/account';
import type { Actor } from '../../platform/audit/actor';
import { CurrentAccount, CurrentActor, CurrentSession } from '../callers/caller';
import {
  AccountNameExistsError,
  LastOwnerError,
  LimitReachedError,
  MemberNotFoundError,
  NotAllowedError,
  RoleNotFoundError,
  SignUpByInvitationError,
} from '../../platform/http/dashboard-errors';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ForMembers, SignedIn } from '../callers/people.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import type { OpenSession } from '../people/sessions';
import { AccountNameDto, AccountSecondFactorDto, UpdateMemberDto } from './member.dto';
import { AccountSecondFactorView, AccountView, MemberView, OwnAccountView } from './member.view';
import { MORE_THAN_OWN } from '../people/role';
import { MembersService } from './members.service';
import { OWN_FACTOR_FIRST, OWNERS_ONLY, OwnAccountsService } from './own-accounts.service';

/** The account itself, and the people who act for it. */
@ApiController('accounts')
export class MembersController {
  constructor(
    private readonly members: MembersService,
    private readonly accounts: OwnAccountsService,
  ) {}

  @Post('account')
  @SignedIn()
  @AnswersWith({
    operationId: 'createAccount',
    summary: 'Make an account, whose owner the person is; where the operator lets everybody in (SIGN_UP=open)',
    data: OwnAccountView,
    message: 'Account created',
    refusals: [
      new AccountNameExistsError(),
      new LimitReachedError('A person can be a member of at most 20 accounts'),
      new SignUpByInvitationError(),
    ],
  })
  createAccount(@CurrentSession() { person }: OpenSession, @Body() { name }: AccountNameDto): Promise<OwnAccountView> {
    return this.accounts.create(person.id, name);
  }

  @Patch('account')
  @ForMembers()
  @AnswersWith({
    operationId: 'renameAccount',
    summary: 'Change the name of the account, which stands in the text that funding wallets sign',
    data: AccountView,
    message: 'Account updated',
    refusals: [new AccountNameExistsError()],
  })
  renameAccount(
    @CurrentAccount() account: Account,
    @CurrentActor() actor: Actor,
    @Body() { name }: AccountNameDto,
  ): Promise<AccountView> {
    return this.accounts.rename(account, actor, name);
  }

  @Patch('account/second-factor')
  @ForMembers()
  @AnswersWith({
    operationId: 'requireSecondFactor',
    summary:
      'Ask members who may spend or see API keys for a second factor or a passkey; else they may only read. Owners only',
    data: AccountSecondFactorView,
    message: 'Account updated',
    refusals: [new NotAllowedError(OWNERS_ONLY), new NotAllowedError(OWN_FACTOR_FIRST)],
  })
  requireSecondFactor(
    @CurrentActor() actor: Actor,
    @CurrentSession() { session }: OpenSession,
    @Body() { required }: AccountSecondFactorDto,
  ): Promise<AccountSecondFactorView> {
    return this.accounts.requireSecondFactor(actor, session, required);
  }

  @Get('members')
  @ForMembers()
  @AnswersWith({
    operationId: 'listMembers',
    summary: 'List the people who act for the account, and their roles',
    data: [MemberView],
    message: 'Members fetched',
  })
  list(@CurrentAccount() account: Account): Promise<MemberView[]> {
    return this.members.list(account);
  }

  @Patch('members/:personId')
  @ForMembers()
  @AnswersWith({
    operationId: 'updateMember',
    summary: 'Change the role of a member',
    data: MemberView,
    message: 'Member updated',
    refusals: [
      new LastOwnerError(),
      new MemberNotFoundError(),
      new RoleNotFoundError(),
      new NotAllowedError(MORE_THAN_OWN),
    ],
  })
  setRole(
    @CurrentActor() actor: Actor,
    @Param('personId') personId: string,
    @Body() { role }: UpdateMemberDto,
  ): Promise<MemberView> {
    return this.members.setRole(actor, personId, role);
  }

  @Delete('members/:personId')
  @TakesNoFields()
  @ForMembers()
  @AnswersWith({
    operationId: 'removeMember',
    summary: 'Remove a member; auth tokens that the person made stay',
    message: 'Member removed',
    refusals: [new LastOwnerError(), new MemberNotFoundError()],
  })
  remove(@CurrentActor() actor: Actor, @Param('personId') personId: string): Promise<void> {
    return this.members.remove(actor, personId);
  }
}
