import { Body, Get, Patch, Post } from '@nestjs/common';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentEditor, CurrentPaymaster, CurrentRights, type Editor } from '../../access/callers/caller';
import { ChangedMeanwhileError, InvalidBodyError } from '../../platform/http/dashboard-errors';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { unknownField } from '../../platform/http/wrong-fields';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import type { Paymaster } from '../../access/paymasters/paymaster';
import type { Need } from '../../access/people/role';
import { PaymasterSettingsService } from './paymaster-settings.service';
import { SettingsView } from './settings.view';
import { UpdateSettingsDto } from './update-settings.dto';

@ApiController('paymaster settings', 'paymaster-settings')
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
  show(@CurrentPaymaster() paymaster: Paymaster): SettingsView {
    return this.settings.show(paymaster);
  }

  @Patch()
  @Authenticated()
  @AnswersWith({
    operationId: 'updatePaymasterSettings',
    summary: 'Change settings of a paymaster',
    data: SettingsView,
    message: 'Paymaster settings updated',
    refusals: [new InvalidBodyError(unknownField('maxOperationCostwei')), new ChangedMeanwhileError('servers')],
  })
  update(
    @CurrentEditor() editor: Editor,
    @CurrentRights() may: readonly Need[],
    @Body() body: UpdateSettingsDto,
  ): Promise<SettingsView> {
    return this.settings.update(editor, may, body);
  }

  @Post('release-brake')
  @TakesNoFields()
  @Authenticated()
  @AnswersWith({
    operationId: 'releaseSpendingBrake',
    summary: 'Let the paymaster go on that the spending brake stopped; what it lost so far counts no more',
    data: SettingsView,
    message: 'Spending brake released',
  })
  releaseBrake(@CurrentEditor() editor: Editor): Promise<SettingsView> {
    return this.settings.releaseBrake(editor);
  }
}
