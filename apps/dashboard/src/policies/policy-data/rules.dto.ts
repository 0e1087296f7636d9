import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ARGUMENT_OPERATORS,
  LIMIT_CYCLES,
  LIMIT_MEASURES,
  LIMIT_SCOPES,
  type ArgumentOperator,
  type LimitCycle,
  type LimitMeasure,
  type LimitScope,
} from '@paymaster/domain';
import { MAX_ARGUMENT_RULES, MAX_METHOD_LENGTH, MAX_POLICY_ADDRESSES, MAX_POLICY_LIMITS } from '@paymaster/messaging';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsDefined,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { IsListOf } from '../../http/list-rules';
import { IfSent, IfSentAndNotNull } from '../../fields/presence-rules';
import { IsAddress } from '../../fields/text-rules';
import { IsAmount, type AmountKind } from './amount-rules';
import { ADDRESS } from '../../fields/api-fields';

/** The end of the year 9999: later times are times in another unit. */
const MAX_TIME_SECONDS = 253_402_300_799;
const MAX_PERCENT = 100_000;
export const MAX_PRIORITY = 10_000;
export const DEFAULT_PRIORITY = 100;

const AMOUNTS: Readonly<Record<LimitMeasure, AmountKind>> = {
  WEI: { decimals: 0, of: 'wei' },
  USD: { decimals: 6, of: 'USD' },
  COUNT: { decimals: 0, of: 'operations' },
};

/** How an amount of a measure is written; of a measure that is none, which is refused in its own words, as a count. */
export function amountKindOf(measure: unknown): AmountKind {
  return measure === 'WEI' || measure === 'USD' ? AMOUNTS[measure] : AMOUNTS.COUNT;
}

/** A rule that may be left out or be null. The first check listed is the first one made. */
const Rule = (description: object, ...checks: PropertyDecorator[]): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional({ nullable: true, ...description }), IfSentAndNotNull(), ...checks);

const Addresses = (description: string): PropertyDecorator =>
  Rule(
    { type: [String], maxItems: MAX_POLICY_ADDRESSES, description },
    IsArray(),
    ArrayMaxSize(MAX_POLICY_ADDRESSES),
    Matches(/^0x[0-9a-fA-F]{40}$/, {
      each: true,
      message: 'each value in $property must be an address: 0x and 40 hexadecimal digits',
    }),
  );

const Wei = (description: string): PropertyDecorator =>
  Rule(
    { type: String, description },
    Matches(/^(0|[1-9][0-9]{0,76})$/, { message: '$property must be a string of decimal digits' }),
  );

const Whole = (description: string, from: number, to: number): PropertyDecorator =>
  Rule({ type: 'integer', minimum: from, maximum: to, description }, IsInt(), Min(from), Max(to));

const Nested = (type: () => new () => object, description: string): PropertyDecorator =>
  Rule({ type: type(), description }, Type(type), IsObject(), ValidateNested());

const NestedList = (type: () => new () => object, description: string, most: number): PropertyDecorator =>
  Rule({ type: [type()], maxItems: most, description }, IsListOf(type, most));

/** Which smart accounts are sponsored. */
export class SendersDto {
  @ArrayNotEmpty()
  @Addresses('Only these.')
  allow?: string[] | null;

  @Addresses('Not these; wins over `allow`.')
  deny?: string[] | null;
}

/** A condition on an argument of every call to a method; a call that cannot be decoded is refused. */
export class ArgumentRuleDto {
  @ApiProperty(ADDRESS)
  @IsAddress()
  contract!: string;

  @ApiProperty({ example: 'mint(address,uint256)', description: 'The full signature in its canonical form.' })
  @MaxLength(MAX_METHOD_LENGTH)
  @IsString()
  method!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    example: 1,
    description: 'The argument’s place, from 0; its type must be static.',
  })
  @Min(0)
  @IsInt()
  index!: number;

  @ApiProperty({ enum: ARGUMENT_OPERATORS })
  @IsIn(ARGUMENT_OPERATORS)
  operator!: ArgumentOperator;

  @ApiProperty({
    anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'boolean' }, { type: 'array', items: { type: 'string' } }],
    example: '1000',
    description: 'A value of the argument’s type; for IN and NOT_IN a list of them.',
  })
  @IsDefined()
  value!: unknown;
}

/** Stops sponsoring while too many of the recent operations reverted. */
export class RevertBreakerDto {
  @ApiProperty({ type: 'integer', minimum: 0, maximum: 100, example: 20 })
  @Max(100)
  @Min(0)
  @IsInt()
  maxRevertPercent!: number;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 1_000_000, example: 50 })
  @Max(1_000_000)
  @Min(1)
  @IsInt()
  minOperations!: number;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 10_080, example: 60 })
  @Max(10_080)
  @Min(1)
  @IsInt()
  windowMinutes!: number;
}

/** A budget. Decorators are checked from the bottom up. */
export class SpendingLimitDto {
  @ApiProperty({ enum: LIMIT_SCOPES, description: 'One operation, each smart account, or the whole paymaster.' })
  @IsIn(LIMIT_SCOPES)
  scope!: LimitScope;

  @ApiProperty({ enum: LIMIT_MEASURES })
  @IsIn(LIMIT_MEASURES)
  measure!: LimitMeasure;

  @ApiProperty({
    anyOf: [{ type: 'string' }, { type: 'number' }],
    example: '2.5',
    description: 'Wei, operations, or USD with at most 6 decimals.',
  })
  @IsAmount((object) => amountKindOf((object as SpendingLimitDto).measure))
  amount!: string | number;

  @ApiPropertyOptional({ enum: LIMIT_CYCLES, description: 'In UTC, weeks from Monday; scope OPERATION has none.' })
  @IsIn(LIMIT_CYCLES)
  @IfSentAndNotNull()
  cycle?: LimitCycle | null;
}

/** `policyData` of a RULES policy: what is left out is no rule. */
export class RulesDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_PRIORITY,
    default: DEFAULT_PRIORITY,
    description: 'Lower ones are asked first.',
  })
  @Max(MAX_PRIORITY)
  @Min(0)
  @IsInt()
  @IfSent()
  priority?: number;

  @Whole('In force from this time on; unix seconds.', 1, MAX_TIME_SECONDS)
  startsAt?: number | null;

  @Whole('In force until just before this time; unix seconds.', 1, MAX_TIME_SECONDS)
  endsAt?: number | null;

  @Nested(() => SendersDto, 'Which smart accounts are sponsored.')
  senders?: SendersDto | null;

  @Wei('The most that one call may send, in wei.')
  maxCallValueWei?: string | null;

  @Wei('The most that all calls of an operation may send together, in wei.')
  maxTotalValueWei?: string | null;

  @NestedList(() => ArgumentRuleDto, 'Conditions on arguments; all must hold.', MAX_ARGUMENT_RULES)
  arguments?: ArgumentRuleDto[] | null;

  @Whole('The highest maxFeePerGas, in percent of the base fee.', 100, MAX_PERCENT)
  maxFeePercentOfBaseFee?: number | null;

  @Whole('The highest callGasLimit, in percent of the estimate.', 100, MAX_PERCENT)
  maxCallGasPercentOfEstimate?: number | null;

  @Addresses('The EIP-7702 delegates that are sponsored; an empty list is none.')
  eip7702Delegates?: string[] | null;

  @Addresses('The account factories that are sponsored; an empty list is none.')
  accountFactories?: string[] | null;

  @Nested(() => RevertBreakerDto, 'Stops sponsoring while too many of the recent operations reverted.')
  revertBreaker?: RevertBreakerDto | null;

  @NestedList(() => SpendingLimitDto, 'Budgets; all must have room.', MAX_POLICY_LIMITS)
  limits?: SpendingLimitDto[] | null;
}
