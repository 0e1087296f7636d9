import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Account } from '../accounts/account';
import type { Actor } from '../../platform/audit/actor';
import { CurrentAccount, CurrentActor } from '../callers/caller';
import { AuthTokenNotFoundError, InvalidBodyError, LimitReachedError } from '../../platform/http/dashboard-errors';
import { ok, type Envelope } from '../../platform/http/envelope';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ForMembers } from '../callers/people.decorators';
import { SDK_PATH } from '../../platform/http/sdk-path';
import { unknownField } from '../../platform/http/wrong-fields';
import { CreateAuthTokenDto } from './auth-token.dto';
import { AuthTokenView, CreatedAuthTokenView } from './auth-token.view';
import { AuthTokensService } from './auth-tokens.service';

/** The tokens with which programs call this API; people list, make and revoke them. */
@ApiTags('accounts')
@Controller(`${SDK_PATH}/auth-tokens`)
export class AuthTokensController {
  constructor(private readonly tokens: AuthTokensService) {}

  @Get()
  @ForMembers('readPeople')
  @AnswersWith({
    operationId: 'listAuthTokens',
    summary: 'List the auth tokens that were not revoked, without their texts',
    data: [AuthTokenView],
    message: 'Auth tokens fetched',
  })
  async list(@CurrentAccount() account: Account): Promise<Envelope<AuthTokenView[]>> {
    return ok('Auth tokens fetched', await this.tokens.list(account));
  }

  @Post()
  @HttpCode(200)
  @ForMembers('administer')
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
  async create(
    @CurrentActor() actor: Actor,
    @Body() body: CreateAuthTokenDto,
  ): Promise<Envelope<CreatedAuthTokenView>> {
    return ok('Auth token created', await this.tokens.create(actor, body));
  }

  @Delete(':tokenId')
  @TakesNoFields()
  @ForMembers('administer')
  @AnswersWith({
    operationId: 'revokeAuthToken',
    summary: 'Revoke an auth token at once',
    message: 'Auth token revoked',
    refusals: [new InvalidBodyError(unknownField('reason')), new AuthTokenNotFoundError()],
  })
  async revoke(@CurrentActor() actor: Actor, @Param('tokenId') tokenId: string): Promise<Envelope> {
    await this.tokens.revoke(actor, tokenId);
    return ok('Auth token revoked');
  }
}
