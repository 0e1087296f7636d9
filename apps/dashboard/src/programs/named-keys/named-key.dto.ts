import { TIME_OR_NULL } from '../../platform/fields/api-fields';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  amountKindOf,
  KEY_KINDS,
  KEY_LIMIT_MEASURES,
  KEY_LIMIT_SCOPES,
  KEY_TERMS,
  LIMIT_CYCLES,
  MAX_KEY_LIMITS,
  type KeyKind,
  type KeyLimitMeasure,
  type KeyLimitScope,
  type LimitCycle,
  type WrittenOf,
} from '@paymaster/domain';
import { ArrayNotEmpty, IsIn } from 'class-validator';
import { EachWritten, FieldsOf } from '../../platform/fields/each-field';
import { SentField } from '../../platform/fields/field-on-rest';
import { IfSent, IfSentAndNotNull } from '../../platform/fields/presence-rules';
import { Name, IsUtcTime } from '../../platform/fields/text-rules';
import { ExpectedValues } from '../../platform/http/expected-values';
import { IsListOf } from '../../platform/http/list-rules';
import { IsAmount } from '../policies/policy-data/amount-rules';

/** A budget of the key. Decorators are checked from the bottom up. */
export class KeyLimitDto {
  @ApiProperty({ enum: KEY_LIMIT_SCOPES, description: 'All operations for the key, or those of each user.' })
  @IsIn(KEY_LIMIT_SCOPES)
  scope!: KeyLimitScope;

  @ApiProperty({ enum: KEY_LIMIT_MEASURES })
  @IsIn(KEY_LIMIT_MEASURES)
  measure!: KeyLimitMeasure;

  @ApiProperty({
    anyOf: [{ type: 'string' }, { type: 'number' }],
    example: '100',
    description: 'Wei, operations, or USD with at most 6 decimals.',
  })
  @IsAmount((object) => amountKindOf((object as KeyLimitDto).measure))
  amount!: string | number;

  @ApiProperty({ enum: LIMIT_CYCLES, description: 'In UTC, weeks from Monday.' })
  @IsIn(LIMIT_CYCLES)
  cycle!: LimitCycle;
}

@EachWritten(KEY_TERMS, SentField)
class TermsDto extends FieldsOf<Partial<WrittenOf<typeof KEY_TERMS>>>() {}

/** What a key may do; null and what is left out at its creation is no restriction. The first check listed is made first. */
abstract class KeyTermsDto extends TermsDto {
  @ApiPropertyOptional({
    type: [KeyLimitDto],
    nullable: true,
    minItems: 1,
    maxItems: MAX_KEY_LIMITS,
    description: 'Budgets of all that is signed for the key, beside those of policies; all must have room.',
  })
  @ArrayNotEmpty()
  @IsListOf(() => KeyLimitDto, MAX_KEY_LIMITS)
  @IfSentAndNotNull()
  limits?: KeyLimitDto[] | null;

  @ApiPropertyOptional({
    ...TIME_OR_NULL,
    description: 'A time to come, in UTC, from which on the key is refused; null for never.',
  })
  @IsUtcTime()
  @IfSentAndNotNull()
  expiresAt?: string | null;
}

/** Body of POST keys. */
export class CreateKeyDto extends KeyTermsDto {
  @Name({ example: 'web app' })
  name!: string;

  @ApiProperty({
    enum: KEY_KINDS,
    description: 'SECRET: only your servers know it. PUBLISHABLE: everybody can read it.',
  })
  @IsIn(KEY_KINDS)
  kind!: KeyKind;
}

/** Body of PATCH keys/:keyId; what is left out stays as it is, null takes a restriction away. */
export class UpdateKeyDto extends KeyTermsDto {
  @Name({ required: false, example: 'web app' })
  @IfSent()
  name?: string;

  @ExpectedValues()
  expected?: object;
}
