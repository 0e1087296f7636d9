import { Body, Controller, Delete, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiBody, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../http/authenticated.decorator';
import { CurrentEditor, SentApiKey, type Editor } from '../http/caller';
import { ok, type Envelope } from '../http/envelope';
import { TakesNoFields } from '../http/no-fields.interceptor';
import { AnswersWith } from '../http/openapi.decorators';
import { SDK_PATH } from '../http/sdk-path';
import { ApiKeysService } from './api-keys.service';
import { EndedKeysView, RotatedKeyView } from './api-keys.view';
import { RotateKeyDto } from './rotate-key.dto';

const NOT_FOUND = { message: 'User not found', statusCode: 404 };

/** Beyond the interface document: another API key for a paymaster. */
@ApiTags('paymasters')
@Controller(`${SDK_PATH}/paymaster`)
export class ApiKeysController {
  constructor(@Inject(ApiKeysService) private readonly apiKeys: ApiKeysService) {}

  @Post('rotate-key')
  @HttpCode(200)
  @Authenticated()
  @ApiBody({ type: RotateKeyDto, required: false })
  @AnswersWith({
    summary: 'Make a new API key; the one before goes on working for 24 hours, or as long as is asked',
    data: RotatedKeyView,
    errors: ['A paymaster can have at most so many former API keys'],
    notFound: NOT_FOUND,
  })
  @ApiResponse({ status: 409, description: 'The apiKey still works, but was replaced before.' })
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
  @AnswersWith({ summary: 'End all former API keys at once', data: EndedKeysView, notFound: NOT_FOUND })
  async endFormer(@CurrentEditor() editor: Editor): Promise<Envelope<EndedKeysView>> {
    return ok('Former API keys ended', await this.apiKeys.endFormer(editor));
  }
}
