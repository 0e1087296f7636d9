import { Body, Delete, Get, Patch, Post } from '@nestjs/common';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentEditor, CurrentPaymaster, type Editor } from '../../access/callers/caller';
import {
  ChainUnavailableError,
  ChangedMeanwhileError,
  TokenExistsError,
  TokenNotFoundError,
  TokenUnfitError,
  TokensNotTakenError,
  TokensNotVerifiableError,
} from '../../platform/http/dashboard-errors';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { DeleteTokenDto, RegisterTokenDto, UpdateTokenDto } from './token.dto';
import { TokenView } from './token.view';
import { TokensService } from './tokens.service';

/** Beyond the interface document: the tokens in which users of a paymaster can pay. */
@ApiController('tokens', 'token')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Post()
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
  register(@CurrentEditor() editor: Editor, @Body() body: RegisterTokenDto): Promise<TokenView> {
    return this.tokens.register(editor, body);
  }

  @Get()
  @Authenticated()
  @AnswersWith({
    operationId: 'listTokens',
    summary: 'List the tokens of the paymaster, then those of its chain that it does not override',
    data: [TokenView],
    message: 'Token list fetched',
  })
  list(@CurrentPaymaster() paymaster: Paymaster): Promise<TokenView[]> {
    return this.tokens.list(paymaster);
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
      new ChangedMeanwhileError('premiumPercentage'),
      new ChainUnavailableError(),
    ],
  })
  update(@CurrentEditor() editor: Editor, @Body() body: UpdateTokenDto): Promise<TokenView> {
    return this.tokens.update(editor, body);
  }

  @Delete()
  @Authenticated()
  @AnswersWith({
    operationId: 'deleteToken',
    summary: 'Delete a token of the paymaster; one of the chain’s own with its address counts again',
    message: 'Token deleted',
    refusals: [new TokenNotFoundError()],
  })
  delete(@CurrentEditor() editor: Editor, @Body() body: DeleteTokenDto): Promise<void> {
    return this.tokens.delete(editor, body);
  }
}
