import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  Allow,
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { MAX_WEBHOOK_URL_LENGTH } from '@paymaster/domain';
import { OneOf, TolerantQuery } from '../../platform/http/query-rules';
import {
  DELIVERY_STATUSES,
  REQUEST_TYPES,
  WEBHOOK_EVENTS,
  type DeliveryStatus,
  type RequestType,
  type WebhookEvent,
} from './webhook';

/** Decorators are checked from the bottom up. */
export class CreateWebhookDto {
  @ApiProperty({ maxLength: MAX_WEBHOOK_URL_LENGTH, example: 'https://hooks.example.org/paymaster' })
  @MaxLength(MAX_WEBHOOK_URL_LENGTH)
  @IsString()
  readonly webhookUrl!: string;

  @ApiProperty({ enum: REQUEST_TYPES })
  @IsIn(REQUEST_TYPES)
  readonly requestType!: RequestType;

  @ApiPropertyOptional({ default: true })
  @IsOptional()
  @IsBoolean()
  readonly active?: boolean;

  @ApiPropertyOptional({
    enum: WEBHOOK_EVENTS,
    isArray: true,
    description: 'What to tell it afterwards. Left out or empty: it is asked for every sponsorship decision instead.',
  })
  @IsOptional()
  @IsIn(WEBHOOK_EVENTS, { each: true })
  @ArrayUnique()
  @ArrayMaxSize(WEBHOOK_EVENTS.length)
  @IsArray()
  readonly events?: WebhookEvent[];

  @ApiPropertyOptional({ description: 'walletLow is told when the funding wallet lasts for less than so many hours.' })
  @IsOptional()
  @Max(8_760)
  @Min(1)
  @IsInt()
  readonly lowBalanceHours?: number;
}

export class WebhookIdDto {
  @ApiProperty({ format: 'uuid' })
  @IsString()
  readonly webhookId!: string;
}

export class SetWebhookActiveDto extends WebhookIdDto {
  @ApiProperty({ example: false })
  @IsBoolean()
  readonly active!: boolean;
}

export class ReplayDto extends WebhookIdDto {
  @ApiPropertyOptional({ format: 'uuid', description: 'One delivery; left out: all dead ones of the webhook.' })
  @IsOptional()
  @IsString()
  readonly deliveryId?: string;
}

export class DeliveriesQuery extends TolerantQuery {
  @ApiProperty()
  @Allow()
  readonly webhookId!: string;

  @OneOf(DELIVERY_STATUSES)
  readonly status?: DeliveryStatus;
}
