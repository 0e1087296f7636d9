import { ValidateBy, type ValidationArguments } from 'class-validator';
import { decimalTextOf, toUnits } from './decimal';

/** All that NUMERIC(78,0) surely holds, with room for sums. */
const TOO_MUCH = 10n ** 77n;

/** How fine an amount may be, and what one unit is called. */
export interface AmountKind {
  readonly decimals: number;
  readonly of: string;
}

/** An amount above zero, given exactly; what kind it is depends on the object that it stands in. */
export function IsAmount(kindOf: (object: object) => AmountKind): PropertyDecorator {
  const kind = ({ object }: ValidationArguments): AmountKind => kindOf(object);
  return ValidateBy({
    name: 'isAmount',
    validator: {
      validate: (value, args) => args !== undefined && unitsOf(value, kind(args)) !== undefined,
      defaultMessage: (args) => `$property must be ${args ? sentenceOf(kind(args)) : 'an amount'}`,
    },
  });
}

/** The amount in its smallest unit, or undefined when it is not exactly one above zero. */
export function unitsOf(value: unknown, { decimals }: AmountKind): bigint | undefined {
  const text = decimalTextOf(value);
  const units = text === undefined ? undefined : toUnits(text, decimals);
  return units !== undefined && units > 0n && units < TOO_MUCH ? units : undefined;
}

function sentenceOf({ decimals, of }: AmountKind): string {
  const fineness = decimals === 0 ? 'a whole number' : `a decimal number with at most ${decimals} decimals`;
  return `${fineness} of ${of}, above zero; as text where it has more than 15 digits`;
}
