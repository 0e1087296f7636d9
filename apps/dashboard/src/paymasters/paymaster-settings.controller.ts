import { Body, Controller, Get, HttpCode, Inject, Patch, Post } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../http/authenticated.decorator';
import { CurrentEditor, CurrentPaymaster, type Editor } from '../http/caller';
import { ok, type Envelope } from '../http/envelope';
import { InvalidBodyError } from '../http/dashboard-errors';
import { AnswersWith } from '../http/openapi.decorators';
import { parseStrictly } from '../http/parse-strictly';
import { SDK_PATH } from '../http/sdk-path';
import type { Paymaster } from './paymaster';
import { PaymasterSettingsService } from './paymaster-settings.service';
import { SettingsView } from './settings.view';
import { UpdateSettingsDto } from './update-settings.dto';

const NOT_FOUND = { message: 'User not found', statusCode: 404 };

@ApiTags('paymaster settings')
@Controller(`${SDK_PATH}/paymaster-settings`)
export class PaymasterSettingsController {
  constructor(@Inject(PaymasterSettingsService) private readonly settings: PaymasterSettingsService) {}

  @Get()
  @Authenticated()
  @AnswersWith({ summary: 'Show the settings of a paymaster', data: SettingsView, notFound: NOT_FOUND })
  show(@CurrentPaymaster() paymaster: Paymaster): Envelope<SettingsView> {
    return ok('Paymaster settings fetched', this.settings.show(paymaster));
  }

  @Patch()
  @Authenticated()
  @ApiBody({ type: UpdateSettingsDto })
  @AnswersWith({ summary: 'Change settings of a paymaster', data: SettingsView, notFound: NOT_FOUND })
  async update(@CurrentEditor() editor: Editor, @Body() body: object): Promise<Envelope<SettingsView>> {
    // A misspelt field must not leave the money as open as it was.
    const request = parseStrictly(UpdateSettingsDto, body, '');
    return ok('Paymaster settings updated', await this.settings.update(editor, request));
  }

  @Post('release-brake')
  @HttpCode(200)
  @Authenticated()
  @AnswersWith({
    summary: 'Let the paymaster go on that the spending brake stopped; what it lost so far counts no more',
    data: SettingsView,
    notFound: NOT_FOUND,
  })
  async releaseBrake(@CurrentEditor() editor: Editor, @Body() body: object): Promise<Envelope<SettingsView>> {
    const [unknown] = Object.keys(body);
    if (unknown !== undefined) throw new InvalidBodyError(`property ${unknown} should not exist`);
    return ok('Spending brake released', await this.settings.releaseBrake(editor));
  }
}
