import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Account } from '../accounts/account';
import type { Actor } from '../../platform/audit/actor';
import { CurrentAccount, CurrentActor, CurrentSession } from '../callers/caller';
import {
  AccountNameExistsError,
  InvalidBodyError,
  LastOwnerError,
  LimitReachedError,
  MemberNotFoundError,
  SignUpByInvitationError,
} from '../../platform/http/dashboard-errors';
import { ok, type Envelope } from '../../platform/http/envelope';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ForMembers, SignedIn } from '../callers/people.decorators';
import { SDK_PATH } from '../../platform/http/sdk-path';
import { unknownField } from '../../platform/http/wrong-fields';
import type { OpenSession } from '../people/sessions';
import { AccountNameDto, UpdateMemberDto } from './member.dto';
import { AccountView, MemberView, OwnAccountView } from './member.view';
import { MembersService } from './members.service';
import { OwnAccountsService } from './own-accounts.service';

/** The account itself, and the people who act for it. */
@ApiTags('accounts')
@Controller(SDK_PATH)
export class MembersController {
  constructor(
    private readonly members: MembersService,
    private readonly accounts: OwnAccountsService,
  ) {}

  @Post('account')
  @HttpCode(200)
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
  async createAccount(
    @CurrentSession() { person }: OpenSession,
    @Body() { name }: AccountNameDto,
  ): Promise<Envelope<OwnAccountView>> {
    return ok('Account created', await this.accounts.create(person.id, name));
  }

  @Patch('account')
  @ForMembers('administer')
  @AnswersWith({
    operationId: 'renameAccount',
    summary: 'Change the name of the account, which stands in the text that funding wallets sign',
    data: AccountView,
    message: 'Account updated',
    refusals: [new AccountNameExistsError()],
  })
  async renameAccount(
    @CurrentAccount() account: Account,
    @CurrentActor() actor: Actor,
    @Body() { name }: AccountNameDto,
  ): Promise<Envelope<AccountView>> {
    return ok('Account updated', await this.accounts.rename(account, actor, name));
  }

  @Get('members')
  @ForMembers('readPeople')
  @AnswersWith({
    operationId: 'listMembers',
    summary: 'List the people who act for the account, and their roles',
    data: [MemberView],
    message: 'Members fetched',
  })
  async list(@CurrentAccount() account: Account): Promise<Envelope<MemberView[]>> {
    return ok('Members fetched', await this.members.list(account));
  }

  @Patch('members/:personId')
  @ForMembers('administer')
  @AnswersWith({
    operationId: 'updateMember',
    summary: 'Change the role of a member',
    data: MemberView,
    message: 'Member updated',
    refusals: [new LastOwnerError(), new MemberNotFoundError()],
  })
  async setRole(
    @CurrentActor() actor: Actor,
    @Param('personId') personId: string,
    @Body() { role }: UpdateMemberDto,
  ): Promise<Envelope<MemberView>> {
    return ok('Member updated', await this.members.setRole(actor, personId, role));
  }

  @Delete('members/:personId')
  @TakesNoFields()
  @ForMembers('administer')
  @AnswersWith({
    operationId: 'removeMember',
    summary: 'Remove a member; auth tokens that the person made stay',
    message: 'Member removed',
    refusals: [new InvalidBodyError(unknownField('reason')), new LastOwnerError(), new MemberNotFoundError()],
  })
  async remove(@CurrentActor() actor: Actor, @Param('personId') personId: string): Promise<Envelope> {
    await this.members.remove(actor, personId);
    return ok('Member removed');
  }
}
