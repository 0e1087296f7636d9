import { Body, Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentEditor, CurrentPaymaster, type Editor } from '../../access/callers/caller';
import {
  ChainUnavailableError,
  TokenExistsError,
  TokenNotFoundError,
  TokenUnfitError,
  TokensNotTakenError,
  TokensNotVerifiableError,
} from '../../platform/http/dashboard-errors';
import { ok, type Envelope } from '../../platform/http/envelope';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { SDK_PATH } from '../../platform/http/sdk-path';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { DeleteTokenDto, RegisterTokenDto, UpdateTokenDto } from './token.dto';
import { TokenView } from './token.view';
import { TokensService } from './tokens.service';

/** Beyond the interface document: the tokens in which users of a paymaster can pay. */
@ApiTags('tokens')
@Controller(`${SDK_PATH}/token`)
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Post()
  @HttpCode(200)
  @Authenticated()
  @AnswersWith({
    operationId: 'createToken',
    summary: 'Add a token; one of the chain’s own is overridden',
    data: TokenView,
    message: 'Token registered successfully',
    refusals: [
      new TokenExistsError(),
      new TokensNotTakenError(),
      new TokenUnfitError('there is no token at the address'),
      new TokensNotVerifiableError(),
      new ChainUnavailableError(),
    ],
  })
  async register(@CurrentEditor() editor: Editor, @Body() body: RegisterTokenDto): Promise<Envelope<TokenView>> {
    return ok('Token registered successfully', await this.tokens.register(editor, body));
  }

  @Get()
  @Authenticated()
  @AnswersWith({
    operationId: 'listTokens',
    summary: 'List the tokens of the paymaster, then those of its chain that it does not override',
    data: [TokenView],
    message: 'Token list fetched',
  })
  async list(@CurrentPaymaster() paymaster: Paymaster): Promise<Envelope<TokenView[]>> {
    return ok('Token list fetched', await this.tokens.list(paymaster));
  }

  @Patch()
  @Authenticated()
  @AnswersWith({
    operationId: 'updateToken',
    summary: 'Change the terms of a token of the paymaster',
    data: TokenView,
    message: 'Token updated',
    refusals: [
      new TokenNotFoundError(),
      new TokenUnfitError('address: one base unit is worth more than an operation'),
      new ChainUnavailableError(),
    ],
  })
  async update(@CurrentEditor() editor: Editor, @Body() body: UpdateTokenDto): Promise<Envelope<TokenView>> {
    return ok('Token updated', await this.tokens.update(editor, body));
  }

  @Delete()
  @Authenticated()
  @AnswersWith({
    operationId: 'deleteToken',
    summary: 'Delete a token of the paymaster; one of the chain’s own with its address counts again',
    message: 'Token deleted',
    refusals: [new TokenNotFoundError()],
  })
  async delete(@CurrentEditor() editor: Editor, @Body() body: DeleteTokenDto): Promise<Envelope> {
    await this.tokens.delete(editor, body);
    return ok('Token deleted');
  }
}
