import { amountSentenceOf, unitsOf, type AmountKind } from '@paymaster/domain';
import { ValidateBy, type ValidationArguments } from 'class-validator';

/** An amount above zero, given exactly; what kind it is depends on the object that it stands in. */
export function IsAmount(kindOf: (object: object) => AmountKind): PropertyDecorator {
  const kind = ({ object }: ValidationArguments): AmountKind => kindOf(object);
  return ValidateBy({
    name: 'isAmount',
    validator: {
      validate: (value, args) => args !== undefined && unitsOf(value, kind(args)) !== undefined,
      defaultMessage: (args) => `$property must be ${args ? amountSentenceOf(kind(args)) : 'an amount'}`,
    },
  });
}
