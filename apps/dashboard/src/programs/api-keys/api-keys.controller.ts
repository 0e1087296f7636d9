import { Body, Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentEditor, SentApiKey, type Editor } from '../../access/callers/caller';
import { FormerApiKeyError, InvalidBodyError, LimitReachedError } from '../../platform/http/dashboard-errors';
import { ok, type Envelope } from '../../platform/http/envelope';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { unknownField } from '../../platform/http/wrong-fields';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { SDK_PATH } from '../../platform/http/sdk-path';
import { ApiKeysService } from './api-keys.service';
import { EndedKeysView, RotatedKeyView } from './api-keys.view';
import { RotateKeyDto } from './rotate-key.dto';

/** Beyond the interface document: another API key for a paymaster. */
@ApiTags('paymasters')
@Controller(`${SDK_PATH}/paymaster`)
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeysService) {}

  @Post('rotate-key')
  @HttpCode(200)
  @Authenticated()
  @ApiBody({ type: RotateKeyDto, required: false })
  @AnswersWith({
    operationId: 'rotateApiKey',
    summary: 'Make a new API key; the one before goes on working for 24 hours, or as long as is asked',
    data: RotatedKeyView,
    message: 'API key rotated',
    refusals: [new LimitReachedError('A paymaster can have at most 3 former API keys'), new FormerApiKeyError()],
  })
  async rotate(
    @CurrentEditor() editor: Editor,
    @SentApiKey() apiKey: string,
    @Body() body: RotateKeyDto,
  ): Promise<Envelope<RotatedKeyView>> {
    return ok('API key rotated', await this.apiKeys.rotate(editor, apiKey, body));
  }

  @Delete('former-keys')
  @TakesNoFields()
  @Authenticated()
  @AnswersWith({
    operationId: 'endFormerApiKeys',
    summary: 'End all former API keys at once',
    data: EndedKeysView,
    message: 'Former API keys ended',
    refusals: [new InvalidBodyError(unknownField('reason'))],
  })
  async endFormer(@CurrentEditor() editor: Editor): Promise<Envelope<EndedKeysView>> {
    return ok('Former API keys ended', await this.apiKeys.endFormer(editor));
  }
}
