import { Body, Delete, Get, Post } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentEditor, CurrentPaymaster, SentApiKey, type Editor } from '../../access/callers/caller';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { FormerApiKeyError, LimitReachedError } from '../../platform/http/dashboard-errors';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import { ApiKeysService } from './api-keys.service';
import { FundedPaymasterView } from '../paymasters/paymaster.view';
import { EndedKeysView, FormerKeyView, RotatedKeyView } from './api-keys.view';
import { RotateKeyDto } from './rotate-key.dto';

/** Beyond the interface document: another API key for a paymaster. */
@ApiController('paymasters', 'paymaster')
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeysService) {}

  @Post('show-key')
  @TakesNoFields()
  @Authenticated()
  @AnswersWith({
    operationId: 'showApiKey',
    summary: 'Show the API key; the audit log says who was shown it, and when',
    data: FundedPaymasterView,
    message: 'API key shown',
  })
  show(@CurrentEditor() editor: Editor): Promise<FundedPaymasterView> {
    return this.apiKeys.show(editor);
  }

  @Post('rotate-key')
  @Authenticated()
  @ApiBody({ type: RotateKeyDto, required: false })
  @AnswersWith({
    operationId: 'rotateApiKey',
    summary: 'Make a new API key; the one before goes on working for 24 hours, or as long as is asked',
    data: RotatedKeyView,
    message: 'API key rotated',
    refusals: [new LimitReachedError('A paymaster can have at most 3 former API keys'), new FormerApiKeyError()],
  })
  rotate(
    @CurrentEditor() editor: Editor,
    @SentApiKey() apiKey: string,
    @Body() body: RotateKeyDto,
  ): Promise<RotatedKeyView> {
    return this.apiKeys.rotate(editor, apiKey, body);
  }

  @Get('former-keys')
  @Authenticated()
  @AnswersWith({
    operationId: 'listFormerApiKeys',
    summary: 'List until when former API keys work, the next to end first; never their texts',
    data: [FormerKeyView],
    message: 'Former API keys fetched',
  })
  listFormer(@CurrentPaymaster() paymaster: Paymaster): Promise<FormerKeyView[]> {
    return this.apiKeys.listFormer(paymaster);
  }

  @Delete('former-keys')
  @TakesNoFields()
  @Authenticated()
  @AnswersWith({
    operationId: 'endFormerApiKeys',
    summary: 'End all former API keys at once',
    data: EndedKeysView,
    message: 'Former API keys ended',
  })
  endFormer(@CurrentEditor() editor: Editor): Promise<EndedKeysView> {
    return this.apiKeys.endFormer(editor);
  }
}
