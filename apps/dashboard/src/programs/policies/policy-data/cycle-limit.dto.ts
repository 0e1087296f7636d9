import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { decimalTextOf, numberIfExact, shortestDecimal, unitsOf, type AmountKind } from '@paymaster/domain';
import { Type } from 'class-transformer';
import { Allow, IsIn, IsInt, IsObject, Min, ValidateBy, ValidateNested } from 'class-validator';
import { IsAmount } from './amount-rules';
import { CYCLE_UNITS, LIMIT_SUBJECTS, THRESHOLD_TYPES, type CycleLimitTerms, type CycleUnit } from './cycle-limit.data';

const UNITS = Object.keys(CYCLE_UNITS) as CycleUnit[];
const THRESHOLD_KINDS: Readonly<Record<CycleLimitTerms['thresholdType'], AmountKind>> = {
  COUNT: { decimals: 0, of: 'operations' },
  NATIVE_ASSET: { decimals: 18, of: 'native units' },
};

/** How long one cycle is. Decorators are checked from the bottom up. */
export class CycleDurationDto {
  @ApiProperty({ enum: UNITS })
  @IsIn(UNITS)
  unit!: CycleUnit;

  @ApiProperty({ type: 'integer', minimum: 1, example: 1, description: 'At most a year.' })
  @IsAtMostAYear()
  @Min(1)
  @IsInt()
  value!: number;
}

/** A cycle duration. The first rule listed is the first one checked. */
export const IsCycleDuration = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ type: CycleDurationDto }),
    Type(() => CycleDurationDto),
    IsObject(),
    ValidateNested(),
  );

/** A threshold of the kind that `thresholdType` beside it names. */
export const IsThreshold = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      anyOf: [{ type: 'number' }, { type: 'string' }],
      example: 2,
      description: 'Operations, or whole native units with at most 18 decimals; text keeps every digit.',
    }),
    IsAmount((object) => thresholdKindOf((object as CycleLimitTerms).thresholdType)),
  );

/** `policyData` of a PAYMASTER_SA_LIMIT. */
export class CycleLimitDto {
  @ApiProperty({ enum: LIMIT_SUBJECTS, description: 'Over the whole paymaster, or for each smart account.' })
  @IsIn(LIMIT_SUBJECTS)
  type!: CycleLimitTerms['type'];

  @IsCycleDuration()
  cycleDuration!: CycleDurationDto;

  @ApiProperty({ enum: THRESHOLD_TYPES })
  @IsIn(THRESHOLD_TYPES)
  thresholdType!: CycleLimitTerms['thresholdType'];

  @IsThreshold()
  threshold!: number | string;

  @ApiPropertyOptional({
    type: 'integer',
    readOnly: true,
    example: 1_769_860_800_000,
    description: 'Unix milliseconds: when the present cycles began.',
  })
  @Allow()
  startTimeInEpoch?: unknown;

  @ApiPropertyOptional({ type: 'integer', readOnly: true, example: 86_400_000 })
  @Allow()
  durationInMs?: unknown;
}

/** The terms in their one form. */
export function toCycleLimitTerms({ type, cycleDuration, threshold, thresholdType }: CycleLimitDto): CycleLimitTerms {
  const text = decimalTextOf(threshold) ?? '';
  return {
    type,
    cycleDuration: { value: cycleDuration.value, unit: cycleDuration.unit },
    threshold: numberIfExact(shortestDecimal(text)),
    thresholdType,
  };
}

/** The threshold in operations or wei. */
export function thresholdUnits({ threshold, thresholdType }: CycleLimitTerms): bigint {
  const units = unitsOf(threshold, thresholdKindOf(thresholdType));
  if (units === undefined) throw new Error(`a stored threshold is none: ${threshold} ${thresholdType}`);
  return units;
}

/** Of what was sent, which may be anything; a type that is none is refused in its own words. */
function thresholdKindOf(type: unknown): AmountKind {
  return type === 'NATIVE_ASSET' ? THRESHOLD_KINDS.NATIVE_ASSET : THRESHOLD_KINDS.COUNT;
}

function IsAtMostAYear(): PropertyDecorator {
  const mostOf = (object: object): number =>
    (object as CycleDurationDto).unit === 'day' ? CYCLE_UNITS.day.most : CYCLE_UNITS.hour.most;
  return ValidateBy({
    name: 'isAtMostAYear',
    validator: {
      validate: (value, args) => typeof value === 'number' && args !== undefined && value <= mostOf(args.object),
      defaultMessage: (args) => `$property must not be greater than ${mostOf(args?.object ?? {})}`,
    },
  });
}
