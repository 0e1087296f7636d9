import { Body, Controller, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentEditor, CurrentPaymaster, type Editor } from '../../access/callers/caller';
import { InvalidBodyError } from '../../platform/http/dashboard-errors';
import { ok, type Envelope } from '../../platform/http/envelope';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { unknownField } from '../../platform/http/wrong-fields';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { SDK_PATH } from '../../platform/http/sdk-path';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { PaymasterSettingsService } from './paymaster-settings.service';
import { SettingsView } from './settings.view';
import { UpdateSettingsDto } from './update-settings.dto';

@ApiTags('paymaster settings')
@Controller(`${SDK_PATH}/paymaster-settings`)
export class PaymasterSettingsController {
  constructor(private readonly settings: PaymasterSettingsService) {}

  @Get()
  @Authenticated()
  @AnswersWith({
    operationId: 'getPaymasterSettings',
    summary: 'Show the settings of a paymaster',
    data: SettingsView,
    message: 'Paymaster settings fetched',
  })
  show(@CurrentPaymaster() paymaster: Paymaster): Envelope<SettingsView> {
    return ok('Paymaster settings fetched', this.settings.show(paymaster));
  }

  @Patch()
  @Authenticated()
  @AnswersWith({
    operationId: 'updatePaymasterSettings',
    summary: 'Change settings of a paymaster',
    data: SettingsView,
    message: 'Paymaster settings updated',
    refusals: [new InvalidBodyError(unknownField('maxOperationCostwei'))],
  })
  async update(@CurrentEditor() editor: Editor, @Body() body: UpdateSettingsDto): Promise<Envelope<SettingsView>> {
    return ok('Paymaster settings updated', await this.settings.update(editor, body));
  }

  @Post('release-brake')
  @HttpCode(200)
  @TakesNoFields()
  @Authenticated()
  @AnswersWith({
    operationId: 'releaseSpendingBrake',
    summary: 'Let the paymaster go on that the spending brake stopped; what it lost so far counts no more',
    data: SettingsView,
    message: 'Spending brake released',
    refusals: [new InvalidBodyError(unknownField('reason'))],
  })
  async releaseBrake(@CurrentEditor() editor: Editor): Promise<Envelope<SettingsView>> {
    return ok('Spending brake released', await this.settings.releaseBrake(editor));
  }
}
