import { Body, Delete, Get, Param, Post } from '@nestjs/common';
import type { Account } from '../accounts/account';
import type { Actor } from '../../platform/audit/actor';
import { CurrentAccount, CurrentActor } from '../callers/caller';
import { AuthTokenNotFoundError, InvalidBodyError, LimitReachedError } from '../../platform/http/dashboard-errors';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ForMembers } from '../callers/people.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import { CreateAuthTokenDto } from './auth-token.dto';
import { AuthTokenView, CreatedAuthTokenView } from './auth-token.view';
import { AuthTokensService } from './auth-tokens.service';

/** The tokens with which programs call this API; people list, make and revoke them. */
@ApiController('accounts', 'auth-tokens')
export class AuthTokensController {
  constructor(private readonly tokens: AuthTokensService) {}

  @Get()
  @ForMembers()
  @AnswersWith({
    operationId: 'listAuthTokens',
    summary: 'List the auth tokens that were not revoked, without their texts',
    data: [AuthTokenView],
    message: 'Auth tokens fetched',
  })
  list(@CurrentAccount() account: Account): Promise<AuthTokenView[]> {
    return this.tokens.list(account);
  }

  @Post()
  @ForMembers()
  @AnswersWith({
    operationId: 'createAuthToken',
    summary: 'Create an auth token; its text is shown in this answer only',
    data: CreatedAuthTokenView,
    message: 'Auth token created',
    refusals: [
      new InvalidBodyError('paymasterId must be that of a paymaster of this account'),
      new LimitReachedError('An account can have at most 100 auth tokens'),
    ],
  })
  create(@CurrentActor() actor: Actor, @Body() body: CreateAuthTokenDto): Promise<CreatedAuthTokenView> {
    return this.tokens.create(actor, body);
  }

  @Delete(':tokenId')
  @TakesNoFields()
  @ForMembers()
  @AnswersWith({
    operationId: 'revokeAuthToken',
    summary: 'Revoke an auth token at once',
    message: 'Auth token revoked',
    refusals: [new AuthTokenNotFoundError()],
  })
  revoke(@CurrentActor() actor: Actor, @Param('tokenId') tokenId: string): Promise<void> {
    return this.tokens.revoke(actor, tokenId);
  }
}
