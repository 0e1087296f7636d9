import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { MAX_WEBHOOK_URL_LENGTH } from '@paymaster/domain';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  Matches,
  MaxLength,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { IfSent, IfSentAndNotNull } from '../../platform/fields/presence-rules';
import { Name } from '../../platform/fields/text-rules';
import { isMailAddress } from '../../platform/mail/mailer';
import {
  ALERT_KINDS,
  ALERT_SUBJECTS,
  LIMIT_PERCENTS,
  type AlertKind,
  type AlertSubject,
  type LimitPercent,
} from './alert';
import { isTimeZone } from './quiet-hours';

const Field = (api: ApiPropertyOptions, ...checks: PropertyDecorator[]): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional(api), IfSent(), ...checks);

const OfForm = (form: RegExp, what: string): PropertyDecorator =>
  Matches(form, { message: `$property must be ${what}` });

const TimeOfDay = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ type: String, pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', example: '22:00' }),
    OfForm(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time such as 22:00'),
  );

/** Hours of each day in which nothing is sent; what happens in them is summed up at their end. */
export class QuietHoursDto {
  @TimeOfDay() readonly from!: string;
  @TimeOfDay() readonly to!: string;

  @ApiProperty({ example: 'Europe/Berlin', description: 'IANA time zone.' })
  @ValidateBy({
    name: 'isTimeZone',
    validator: { validate: isTimeZone, defaultMessage: () => '$property must be a time zone such as Europe/Berlin' },
  })
  readonly timeZone!: string;
}

/** A quiet time of no length would be all day or never. */
const isSomeTime = (value: unknown): boolean => {
  const { from, to } = (value ?? {}) as Partial<QuietHoursDto>;
  return from === undefined || from !== to;
};

abstract class AlertTermsDto {
  @Field(
    { example: 'owner@example.org', description: 'Of MAIL: one address.' },
    ValidateBy({
      name: 'isMailAddress',
      validator: { validate: isMailAddress, defaultMessage: () => '$property must be one mail address' },
    }),
  )
  readonly mail?: string;

  @Field(
    {
      maxLength: MAX_WEBHOOK_URL_LENGTH,
      description: 'Of SLACK and DISCORD: the URL of an incoming webhook of the channel. Of WEBHOOK: your server.',
    },
    IsString(),
    MaxLength(MAX_WEBHOOK_URL_LENGTH),
  )
  readonly url?: string;

  @Field(
    { description: 'Of TELEGRAM: the token that BotFather gave you.' },
    OfForm(/^\d{1,20}:[A-Za-z0-9_-]{20,100}$/, 'the token of a bot, such as 123456:ABC-DEF…'),
  )
  readonly botToken?: string;

  @Field(
    { description: 'Of TELEGRAM: the id of the chat, or @ and the name of the channel.' },
    OfForm(/^(-?\d{1,20}|@[A-Za-z0-9_]{4,64})$/, 'the id of a chat, or @ and the name of a channel'),
  )
  readonly chatId?: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    pattern: '^[1-9][0-9]*$',
    description: 'walletLow is told when the wallet can spend less in the contract of an EntryPoint; wei.',
  })
  @IfSentAndNotNull()
  @Matches(/^[1-9][0-9]{0,76}$/, { message: '$property must be a string of decimal digits, above zero' })
  readonly walletBelowWei?: string | null;

  @Field(
    { enum: LIMIT_PERCENTS, isArray: true, description: 'limitUsed is told when so much of a limit is used; percent.' },
    IsArray(),
    ArrayUnique(),
    ArrayMaxSize(LIMIT_PERCENTS.length),
    IsIn(LIMIT_PERCENTS, { each: true }),
  )
  readonly limitPercents?: LimitPercent[];

  @ApiPropertyOptional({ type: QuietHoursDto, nullable: true })
  @ValidateBy({
    name: 'isSomeTime',
    validator: { validate: isSomeTime, defaultMessage: () => '$property: from and to must be different times' },
  })
  @ValidateNested()
  @Type(() => QuietHoursDto)
  @IsObject()
  @IfSentAndNotNull()
  readonly quietHours?: QuietHoursDto | null;

  @Field({ type: Boolean, default: true }, IsBoolean())
  readonly active?: boolean;
}

const About = (): PropertyDecorator =>
  applyDecorators(
    IsArray(),
    ArrayNotEmpty(),
    ArrayUnique(),
    ArrayMaxSize(ALERT_SUBJECTS.length),
    IsIn(ALERT_SUBJECTS, { each: true }),
  );

export class CreateAlertDto extends AlertTermsDto {
  @Name({ example: 'On call' })
  readonly name!: string;

  @ApiProperty({ enum: ALERT_KINDS })
  @IsIn(ALERT_KINDS)
  readonly kind!: AlertKind;

  @ApiProperty({ enum: ALERT_SUBJECTS, isArray: true, minItems: 1 })
  @About()
  readonly about!: AlertSubject[];
}

/** What is left out stays as it is. */
export class UpdateAlertDto extends AlertTermsDto {
  @ApiPropertyOptional({ minLength: 1, maxLength: 100, example: 'On call' })
  @Name({ required: false })
  @IfSent()
  readonly name?: string;

  @ApiPropertyOptional({ enum: ALERT_SUBJECTS, isArray: true, minItems: 1 })
  @About()
  @IfSent()
  readonly about?: AlertSubject[];

  @Field(
    {
      type: 'integer',
      minimum: 1,
      description: 'Makes no change when the alert is at another version: the answer is 409.',
    },
    IsInt(),
    Min(1),
  )
  readonly expectedVersion?: number;
}
