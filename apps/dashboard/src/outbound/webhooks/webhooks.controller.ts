import { Body, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { isUuid } from '../../platform/database/uuid';
import { TakesTurns } from '../../access/callers/account-turns.interceptor';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentEditor, CurrentPaymaster, CurrentRights, type Editor } from '../../access/callers/caller';
import {
  InvalidBodyError,
  LimitReachedError,
  WebhookNotFoundError,
  WebhooksNotSetUpError,
} from '../../platform/http/dashboard-errors';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import type { Paymaster } from '../../access/paymasters/paymaster';
import type { Need } from '../../access/people/role';
import { DeliveriesRepository } from './deliveries.repository';
import { CreateWebhookDto, DeliveriesQuery, ReplayDto, SetWebhookActiveDto, WebhookIdDto } from './webhook.dto';
import {
  CreatedWebhookView,
  DeliveryView,
  presentDelivery,
  ReplayView,
  WebhookSecretsView,
  WebhookTestView,
  WebhookView,
} from './webhook.view';
import { WebhooksService } from './webhooks.service';

const LOG_LENGTH = 100;

/** Beyond the interface document, as existing API users know it: who is asked and told about operations. */
@ApiController('webhooks', 'webhook')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: DeliveriesRepository,
  ) {}

  @Post()
  @Authenticated()
  @AnswersWith({
    operationId: 'createWebhook',
    summary: 'Create a webhook: one that is asked for decisions, or, with events, one that is told about them',
    data: CreatedWebhookView,
    message: 'Webhook created',
    refusals: [
      new InvalidBodyError('requestType must be POST for a webhook with events'),
      new LimitReachedError('A paymaster can have at most 10 webhooks'),
      new WebhooksNotSetUpError(),
    ],
  })
  create(@CurrentEditor() editor: Editor, @Body() body: CreateWebhookDto): Promise<CreatedWebhookView> {
    return this.webhooks.create(editor, body);
  }

  @Get()
  @Authenticated({ missingHeader: 'Auth token is required in the headers' })
  @ApiQuery({ name: 'webhookId', required: false, type: String })
  @AnswersWith({
    operationId: 'listWebhooks',
    summary: 'List webhooks, or show one',
    data: [WebhookView],
    message: 'Webhook list fetched',
    refusals: [new WebhookNotFoundError()],
  })
  list(
    @CurrentPaymaster() paymaster: Paymaster,
    @CurrentRights() may: readonly Need[],
    @Query('webhookId') webhookId?: unknown,
  ): Promise<WebhookView[]> {
    return this.webhooks.list(paymaster, webhookId, may);
  }

  @Patch()
  @Authenticated()
  @AnswersWith({
    operationId: 'updateWebhook',
    summary: 'Pause a webhook, or put it in force again',
    message: 'Webhook updated',
    refusals: [new WebhookNotFoundError()],
  })
  setActive(@CurrentEditor() editor: Editor, @Body() body: SetWebhookActiveDto): Promise<void> {
    return this.webhooks.setActive(editor, body);
  }

  @Delete()
  @Authenticated()
  @AnswersWith({
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook with its log',
    message: 'Webhook deleted',
    refusals: [new WebhookNotFoundError()],
  })
  delete(@CurrentEditor() editor: Editor, @Body() { webhookId }: WebhookIdDto): Promise<void> {
    return this.webhooks.delete(editor, webhookId);
  }

  @Get('secrets')
  @Authenticated()
  @ApiQuery({
    name: 'webhookId',
    required: true,
    type: String,
    description: 'Of a webhook, or of a policy of type WEBHOOK.',
  })
  @AnswersWith({
    operationId: 'getWebhookSecrets',
    summary: 'Show the secrets in force',
    data: WebhookSecretsView,
    message: 'Webhook secrets fetched',
    refusals: [new WebhookNotFoundError()],
  })
  secrets(
    @CurrentPaymaster() paymaster: Paymaster,
    @Query('webhookId') webhookId?: unknown,
  ): Promise<WebhookSecretsView> {
    return this.webhooks.secrets(paymaster, webhookId);
  }

  @Post('rotate')
  @Authenticated()
  @AnswersWith({
    operationId: 'rotateWebhookSecret',
    summary: 'Make a new secret; the one before stays in force for 24 hours',
    data: WebhookSecretsView,
    message: 'Webhook secret rotated',
    refusals: [new WebhookNotFoundError()],
  })
  rotate(@CurrentEditor() editor: Editor, @Body() { webhookId }: WebhookIdDto): Promise<WebhookSecretsView> {
    return this.webhooks.rotate(editor, webhookId);
  }

  @Post('test')
  @TakesTurns('always')
  @Authenticated()
  @AnswersWith({
    operationId: 'testWebhook',
    summary: 'Send a test event of type webhook.test, and show what the server said',
    data: WebhookTestView,
    message: 'Webhook tested',
    refusals: [
      new InvalidBodyError('webhookId must be that of a webhook with events'),
      new WebhookNotFoundError(),
      new WebhooksNotSetUpError(),
    ],
  })
  test(@CurrentPaymaster() paymaster: Paymaster, @Body() { webhookId }: WebhookIdDto): Promise<WebhookTestView> {
    return this.webhooks.test(paymaster, webhookId);
  }

  @Get('deliveries')
  @TakesTurns('always')
  @Authenticated()
  @AnswersWith({
    operationId: 'listWebhookDeliveries',
    summary: 'Show the last 100 deliveries',
    data: [DeliveryView],
    message: 'Webhook deliveries fetched',
    refusals: [new InvalidBodyError('status must be one of pending, delivered, dead'), new WebhookNotFoundError()],
  })
  async log(
    @CurrentPaymaster() paymaster: Paymaster,
    @Query() { webhookId, status }: DeliveriesQuery,
  ): Promise<DeliveryView[]> {
    const { id } = await this.webhooks.find(paymaster, String(webhookId));
    const log = await this.deliveries.log({ receiverId: id, status, limit: LOG_LENGTH });
    return log.map(presentDelivery);
  }

  @Post('replay')
  @TakesTurns('always')
  @Authenticated()
  @AnswersWith({
    operationId: 'replayWebhookDeliveries',
    summary: 'Send a delivery again, or all dead ones',
    data: ReplayView,
    message: 'Webhook deliveries replayed',
    refusals: [new InvalidBodyError('deliveryId must be a UUID'), new WebhookNotFoundError()],
  })
  async replay(@CurrentPaymaster() paymaster: Paymaster, @Body() body: ReplayDto): Promise<ReplayView> {
    const { deliveryId } = body;
    if (deliveryId !== undefined && !isUuid(deliveryId)) throw new InvalidBodyError('deliveryId must be a UUID');
    const { id } = await this.webhooks.find(paymaster, body.webhookId);
    const replayed = await this.deliveries.replay({ webhookId: id, ...(deliveryId && { deliveryId }) });
    return { replayed };
  }
}
