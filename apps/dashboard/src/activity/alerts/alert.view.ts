import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { TEXT_OR_NULL } from '../../platform/fields/api-fields';
import { DeliveryView, presentDelivery } from '../../outbound/webhooks/webhook.view';
import { ALERT_KINDS, ALERT_SUBJECTS, LIMIT_PERCENTS, type Alert } from './alert';
import type { LoggedAlert } from './alert-deliveries';
import { QuietHoursDto } from './alert.dto';

export class AlertView {
  @ApiProperty({ format: 'uuid' }) readonly alertId!: string;
  @ApiProperty({ type: 'integer', example: 3, description: 'Grows with each change.' }) readonly version!: number;
  @ApiProperty({ example: 'On call' }) readonly name!: string;
  @ApiProperty({ enum: ALERT_KINDS }) readonly kind!: string;
  @ApiProperty({
    example: 'https://hooks.slack.com/…',
    description: 'The mail address, the chat, or the host of the URL: tokens and whole URLs are never shown.',
  })
  readonly destination!: string;
  @ApiProperty() readonly active!: boolean;
  @ApiProperty({ enum: ALERT_SUBJECTS, isArray: true }) readonly about!: readonly string[];
  @ApiProperty({ ...TEXT_OR_NULL, example: '500000000000000000' }) readonly walletBelowWei!: string | null;
  @ApiProperty({ enum: LIMIT_PERCENTS, isArray: true }) readonly limitPercents!: readonly number[];
  @ApiProperty({ type: QuietHoursDto, nullable: true }) readonly quietHours!: QuietHoursDto | null;
}

export class CreatedAlertView extends AlertView {
  @ApiPropertyOptional({
    type: String,
    example: 'whsec_…',
    description: 'Of WEBHOOK: what `webhook-signature` is checked with; shown in this answer only.',
  })
  readonly secret?: string;
}

export class AlertDeliveryView extends DeliveryView {
  @ApiProperty({ example: 'The wallet can spend 0.4 ETH, less than 0.5 ETH.' }) readonly text!: string;
}

export function presentAlert({ id, shown, ...alert }: Alert): AlertView {
  const { version, name, kind, active, about, walletBelowWei, limitPercents, quietHours } = alert;
  return {
    ...{ alertId: id, version, name, kind, destination: shown, active },
    ...{ about, walletBelowWei, limitPercents, quietHours },
  };
}

export function presentAlertDelivery(delivery: LoggedAlert): AlertDeliveryView {
  const { text } = JSON.parse(delivery.body) as { text: string };
  return { ...presentDelivery(delivery), text };
}
