import { Body, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import { TakesTurns } from '../../access/callers/account-turns.interceptor';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentEditor, CurrentPaymaster, type Editor } from '../../access/callers/caller';
import {
  AlertNotFoundError,
  InvalidBodyError,
  LimitReachedError,
  MailNotSetUpError,
  VersionConflictError,
  WebhooksNotSetUpError,
} from '../../platform/http/dashboard-errors';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { WebhookTestView } from '../../outbound/webhooks/webhook.view';
import { CreateAlertDto, UpdateAlertDto } from './alert.dto';
import { AlertDeliveryView, AlertView, CreatedAlertView } from './alert.view';
import { AlertsService } from './alerts.service';

/** Beyond the interface document: people who are told when something is wrong with a paymaster. */
@ApiController('alerts', 'alerts')
export class AlertsController {
  constructor(private readonly alerts: AlertsService) {}

  @Get()
  @Authenticated()
  @AnswersWith({ operationId: 'listAlerts', summary: 'List alerts', data: [AlertView], message: 'Alerts fetched' })
  list(@CurrentPaymaster() paymaster: Paymaster): Promise<AlertView[]> {
    return this.alerts.list(paymaster);
  }

  @Post()
  @Authenticated()
  @AnswersWith({
    operationId: 'createAlert',
    summary: 'Create an alert: who is told, and what',
    data: CreatedAlertView,
    message: 'Alert created',
    refusals: [
      new InvalidBodyError('walletBelowWei must be there for walletLow'),
      new LimitReachedError('A paymaster can have at most 10 alerts'),
      new MailNotSetUpError(),
      new WebhooksNotSetUpError(),
    ],
  })
  create(@CurrentEditor() editor: Editor, @Body() body: CreateAlertDto): Promise<CreatedAlertView> {
    return this.alerts.create(editor, body);
  }

  @Patch(':alertId')
  @Authenticated()
  @AnswersWith({
    operationId: 'updateAlert',
    summary: 'Change an alert, pause it, or put it in force again; its kind stays',
    data: AlertView,
    message: 'Alert updated',
    refusals: [
      new InvalidBodyError('walletBelowWei must be there for walletLow'),
      new AlertNotFoundError(),
      new VersionConflictError('alert', 4),
    ],
  })
  update(
    @CurrentEditor() editor: Editor,
    @Param('alertId') alertId: string,
    @Body() body: UpdateAlertDto,
  ): Promise<AlertView> {
    return this.alerts.update(editor, alertId, body);
  }

  @Delete(':alertId')
  @TakesNoFields()
  @Authenticated()
  @AnswersWith({
    operationId: 'deleteAlert',
    summary: 'Delete an alert with its log',
    message: 'Alert deleted',
    refusals: [new AlertNotFoundError()],
  })
  delete(@CurrentEditor() editor: Editor, @Param('alertId') alertId: string): Promise<void> {
    return this.alerts.delete(editor, alertId);
  }

  @Post(':alertId/test')
  @TakesNoFields()
  @TakesTurns('always')
  @Authenticated()
  @AnswersWith({
    operationId: 'testAlert',
    summary: 'Send a test, and show what the receiver said; at most 10 in 10 minutes for a paymaster',
    data: WebhookTestView,
    message: 'Alert tested',
    refusals: [new AlertNotFoundError()],
  })
  test(@CurrentPaymaster() paymaster: Paymaster, @Param('alertId') alertId: string): Promise<WebhookTestView> {
    return this.alerts.test(paymaster, alertId);
  }

  @Get(':alertId/deliveries')
  @Authenticated()
  @AnswersWith({
    operationId: 'listAlertDeliveries',
    summary: 'Show what was told lately, and whether it arrived; newest first, 50 at most',
    data: [AlertDeliveryView],
    message: 'Alert deliveries fetched',
    refusals: [new AlertNotFoundError()],
  })
  log(@CurrentPaymaster() paymaster: Paymaster, @Param('alertId') alertId: string): Promise<AlertDeliveryView[]> {
    return this.alerts.log(paymaster, alertId);
  }
}
