import { Body, Controller, Delete, Get, HttpCode, Ip, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Account } from '../accounts/account';
import type { Actor } from '../../platform/audit/actor';
import { CurrentAccount, CurrentActor, CurrentSession } from '../callers/caller';
import {
  AlreadyMemberError,
  InvalidBodyError,
  InvitationNotFoundError,
  LimitReachedError,
} from '../../platform/http/dashboard-errors';
import { ok, type Envelope } from '../../platform/http/envelope';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ForMembers, SignedIn } from '../callers/people.decorators';
import { SDK_PATH } from '../../platform/http/sdk-path';
import { unknownField } from '../../platform/http/wrong-fields';
import type { OpenSession } from '../people/sessions';
import { CreatedInvitationView, InvitationView } from './invitation.view';
import { InvitationsService } from './invitations.service';
import { AcceptInvitationDto, CreateInvitationDto } from './member.dto';
import { OwnAccountView } from './member.view';

/** How people become members of an account. */
@ApiTags('accounts')
@Controller(`${SDK_PATH}/invitations`)
export class InvitationsController {
  constructor(private readonly invitations: InvitationsService) {}

  @Get()
  @ForMembers('readPeople')
  @AnswersWith({
    operationId: 'listInvitations',
    summary: 'List open invitations, without their codes',
    data: [InvitationView],
    message: 'Invitations fetched',
  })
  async list(@CurrentAccount() account: Account): Promise<Envelope<InvitationView[]>> {
    return ok('Invitations fetched', await this.invitations.list(account));
  }

  @Post()
  @HttpCode(200)
  @ForMembers('administer')
  @AnswersWith({
    operationId: 'createInvitation',
    summary: 'Invite a person; whoever shows the code first, in the next 7 days, becomes a member',
    data: CreatedInvitationView,
    message: 'Invitation created',
    refusals: [new LimitReachedError('An account can have at most 200 members and open invitations')],
  })
  async create(
    @CurrentActor() actor: Actor,
    @Body() body: CreateInvitationDto,
  ): Promise<Envelope<CreatedInvitationView>> {
    return ok('Invitation created', await this.invitations.create(actor, body));
  }

  @Post('accept')
  @HttpCode(200)
  @SignedIn()
  @AnswersWith({
    operationId: 'acceptInvitation',
    summary: 'Become a member of the account of an invitation',
    data: OwnAccountView,
    message: 'Invitation accepted',
    refusals: [new InvitationNotFoundError(), new AlreadyMemberError()],
  })
  async accept(
    @CurrentSession() { person }: OpenSession,
    @Ip() address: string,
    @Body() { code }: AcceptInvitationDto,
  ): Promise<Envelope<OwnAccountView>> {
    return ok('Invitation accepted', await this.invitations.accept({ code, personId: person.id, address }));
  }

  @Delete(':invitationId')
  @TakesNoFields()
  @ForMembers('administer')
  @AnswersWith({
    operationId: 'withdrawInvitation',
    summary: 'Withdraw an open invitation',
    message: 'Invitation withdrawn',
    refusals: [new InvalidBodyError(unknownField('reason')), new InvitationNotFoundError()],
  })
  async withdraw(@CurrentActor() actor: Actor, @Param('invitationId') invitationId: string): Promise<Envelope> {
    await this.invitations.withdraw(actor, invitationId);
    return ok('Invitation withdrawn');
  }
}
