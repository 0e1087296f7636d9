import { applyDecorators } from '@nestjs/common';
import { TIME_OR_NULL } from '../../platform/fields/api-fields';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  amountKindOf,
  KEY_BUNDLER_USES,
  KEY_KINDS,
  KEY_LIMIT_MEASURES,
  KEY_LIMIT_SCOPES,
  LIMIT_CYCLES,
  type KeyBundlerUse,
  type KeyKind,
  type KeyLimitMeasure,
  type KeyLimitScope,
  type LimitCycle,
} from '@paymaster/domain';
import {
  MAX_KEY_LIMITS,
  MAX_KEY_METHODS,
  MAX_KEY_NETWORKS,
  MAX_KEY_ORIGINS,
  MAX_KEY_POLICIES,
  MAX_KEY_SENDERS,
  RPC_METHOD_PATTERN,
} from '@paymaster/messaging';
import {
  ArrayMaxSize,
  ArrayNotContains,
  ArrayNotEmpty,
  IsArray,
  IsBoolean,
  IsIn,
  IsString,
  IsUUID,
  Matches,
} from 'class-validator';
import { AreNetworks } from '../../platform/fields/network-rules';
import { IfSent, IfSentAndNotNull } from '../../platform/fields/presence-rules';
import { AreOrigins, HasRightChecksum, Name, IsUtcTime } from '../../platform/fields/text-rules';
import { ExpectedValues } from '../../platform/http/expected-values';
import { IsListOf } from '../../platform/http/list-rules';
import { IsAmount } from '../policies/policy-data/amount-rules';

/** A list that may be left out or be null, which is no restriction; an empty one would read like none. */
const List = (description: string, most: number, ...checks: PropertyDecorator[]): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: [String], nullable: true, minItems: 1, maxItems: most, description }),
    IfSentAndNotNull(),
    IsArray(),
    ArrayNotEmpty(),
    ArrayMaxSize(most),
    IsString({ each: true }),
    ...checks,
  );

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

/** What a key may do; null and what is left out at its creation is no restriction. The first check listed is made first. */
abstract class KeyTermsDto {
  @List(
    'Browser origins whose pages may send the key; a request without an Origin is refused. For PUBLISHABLE keys.',
    MAX_KEY_ORIGINS,
    ArrayNotContains(['*'], { message: '$property must not contain *: leave it out for any origin' }),
    AreOrigins(),
  )
  allowedOrigins?: string[] | null;

  @List('Networks that the key may be sent from: addresses or CIDR blocks.', MAX_KEY_NETWORKS, AreNetworks())
  allowedNetworks?: string[] | null;

  @List(
    'Smart accounts whose operations may be asked for.',
    MAX_KEY_SENDERS,
    Matches(/^0x[0-9a-fA-F]{40}$/, {
      each: true,
      message: 'each value in $property must be an address: 0x and 40 hexadecimal digits',
    }),
    HasRightChecksum(),
  )
  allowedSenders?: string[] | null;

  @List(
    'JSON-RPC methods that may be called, such as pm_getPaymasterData.',
    MAX_KEY_METHODS,
    Matches(RPC_METHOD_PATTERN, { each: true, message: 'each value in $property must be the name of a method' }),
  )
  allowedMethods?: string[] | null;

  @ApiPropertyOptional({
    enum: KEY_BUNDLER_USES,
    description:
      "The methods of a bundler: off refuses them; sponsored sends only operations that the paymaster's funding wallet pays for; any, which a new key has, sends all.",
  })
  @IsIn(KEY_BUNDLER_USES)
  @IfSent()
  bundler?: KeyBundlerUse;

  @List('RULES policies that are asked; restrictions hold besides.', MAX_KEY_POLICIES, IsUUID('all', { each: true }))
  policyIds?: string[] | null;

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

  @ApiPropertyOptional({ description: 'Every request with the key needs a session token of the app.' })
  @IsBoolean()
  @IfSent()
  sessionRequired?: boolean;

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
