import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { TEXT_OR_NULL, TIME_OR_NULL } from '../../platform/fields/api-fields';
import { SHOWN_URL } from '../../programs/policies/shown-url';
import { DELIVERY_STATUSES, REQUEST_TYPES, WEBHOOK_EVENTS, type Delivery, type Webhook } from './webhook';

export class WebhookView {
  @ApiProperty({ format: 'uuid' }) readonly webhookId!: string;
  @ApiProperty({ example: 'https://hooks.example.org/paymaster', description: SHOWN_URL }) readonly webhookUrl!: string;
  @ApiProperty({ enum: REQUEST_TYPES }) readonly requestType!: string;
  @ApiProperty() readonly active!: boolean;
  @ApiProperty({ enum: WEBHOOK_EVENTS, isArray: true }) readonly events!: readonly string[];
  @ApiProperty({ type: 'integer', nullable: true }) readonly lowBalanceHours!: number | null;
}

/** Secrets in force, newest first, to check `webhook-signature` with. */
export class WebhookSecretsView {
  @ApiProperty({ format: 'uuid' }) readonly webhookId!: string;
  @ApiProperty({ type: [String], example: ['whsec_…'] }) readonly secrets!: readonly string[];
}

export class CreatedWebhookView extends WebhookView {
  @ApiPropertyOptional({ type: [String], example: ['whsec_…'] }) readonly secrets?: readonly string[];
}

export class DeliveryView {
  @ApiProperty({ format: 'uuid' }) readonly deliveryId!: string;
  @ApiProperty({ format: 'uuid', description: 'Also `webhook-id` of every attempt.' }) readonly eventId!: string;
  @ApiProperty({ example: 'operation.settled' }) readonly type!: string;
  @ApiProperty({ enum: DELIVERY_STATUSES }) readonly status!: string;
  @ApiProperty({ type: 'integer', example: 1 }) readonly attempts!: number;
  @ApiProperty({ ...TIME_OR_NULL, description: 'Null when there is none.' }) readonly nextAttemptAt!: string | null;
  @ApiProperty({ type: 'integer', nullable: true, example: 200 }) readonly lastStatus!: number | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'The first 1 KiB.', example: 'ok' }) readonly lastAnswer!: string | null;
  @ApiProperty(TEXT_OR_NULL) readonly lastProblem!: string | null;
  @ApiProperty({ format: 'date-time' }) readonly createdAt!: string;
  @ApiProperty({ ...TIME_OR_NULL, example: '2026-01-31T12:00:01.000Z' }) readonly endedAt!: string | null;
}

/** What the server said to a test event. */
export class WebhookTestView {
  @ApiProperty({ description: 'The server answered with a status of 2xx.' }) readonly delivered!: boolean;
  @ApiProperty({ type: 'integer', nullable: true, example: 200 }) readonly status!: number | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'The first 1 KiB.', example: 'ok' }) readonly answer!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Why there is no answer.' }) readonly problem!: string | null;
  @ApiProperty({ type: 'integer', example: 120 }) readonly tookMs!: number;
}

export class ReplayView {
  @ApiProperty({ type: 'integer', example: 1, description: 'Deliveries that are sent again.' })
  readonly replayed!: number;
}

export function presentWebhook({ id, url, requestType, active, events, lowBalanceHours }: Webhook): WebhookView {
  return { webhookId: id, webhookUrl: url, requestType, active, events, lowBalanceHours };
}

export function presentDelivery(delivery: Delivery): DeliveryView {
  const { id, eventId, type, status, attempts, lastStatus, lastAnswer, lastProblem } = delivery;
  return {
    ...{ deliveryId: id, eventId, type, status, attempts, lastStatus, lastAnswer, lastProblem },
    nextAttemptAt: status === 'pending' ? delivery.nextAttemptAt.toISOString() : null,
    createdAt: delivery.createdAt.toISOString(),
    endedAt: delivery.endedAt?.toISOString() ?? null,
  };
}
