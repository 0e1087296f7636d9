import { Body, Delete, Get, Ip, Param, Post } from '@nestjs/common';
import type { Account } from '../accounts/account';
import type { Actor } from '../../platform/audit/actor';
import { CurrentAccount, CurrentActor, CurrentSession } from '../callers/caller';
import { AlreadyMemberError, InvitationNotFoundError, LimitReachedError } from '../../platform/http/dashboard-errors';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ForMembers, SignedIn } from '../callers/people.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import type { OpenSession } from '../people/sessions';
import { CreatedInvitationView, InvitationView } from './invitation.view';
import { InvitationsService } from './invitations.service';
import { AcceptInvitationDto, CreateInvitationDto } from './member.dto';
import { OwnAccountView } from './member.view';

/** How people become members of an account. */
@ApiController('accounts', 'invitations')
export class InvitationsController {
  constructor(private readonly invitations: InvitationsService) {}

  @Get()
  @ForMembers()
  @AnswersWith({
    operationId: 'listInvitations',
    summary: 'List open invitations, without their codes',
    data: [InvitationView],
    message: 'Invitations fetched',
  })
  list(@CurrentAccount() account: Account): Promise<InvitationView[]> {
    return this.invitations.list(account);
  }

  @Post()
  @ForMembers()
  @AnswersWith({
    operationId: 'createInvitation',
    summary: 'Invite a person; whoever shows the code first, in the next 7 days, becomes a member',
    data: CreatedInvitationView,
    message: 'Invitation created',
    refusals: [new LimitReachedError('An account can have at most 200 members and open invitations')],
  })
  create(@CurrentActor() actor: Actor, @Body() body: CreateInvitationDto): Promise<CreatedInvitationView> {
    return this.invitations.create(actor, body);
  }

  @Post('accept')
  @SignedIn()
  @AnswersWith({
    operationId: 'acceptInvitation',
    summary: 'Become a member of the account of an invitation',
    data: OwnAccountView,
    message: 'Invitation accepted',
    refusals: [new InvitationNotFoundError(), new AlreadyMemberError()],
  })
  accept(
    @CurrentSession() { person }: OpenSession,
    @Ip() address: string,
    @Body() { code }: AcceptInvitationDto,
  ): Promise<OwnAccountView> {
    return this.invitations.accept({ code, personId: person.id, address });
  }

  @Delete(':invitationId')
  @TakesNoFields()
  @ForMembers()
  @AnswersWith({
    operationId: 'withdrawInvitation',
    summary: 'Withdraw an open invitation',
    message: 'Invitation withdrawn',
    refusals: [new InvitationNotFoundError()],
  })
  withdraw(@CurrentActor() actor: Actor, @Param('invitationId') invitationId: string): Promise<void> {
    return this.invitations.withdraw(actor, invitationId);
  }
}
