import { ValidateIf } from 'class-validator';

/** May be left out; null counts as sent. */
export function IfSent(): PropertyDecorator {
  return ValidateIf((_object, value) => value !== undefined);
}

/** May be left out or be null. */
export function IfSentAndNotNull(): PropertyDecorator {
  return ValidateIf((_object, value) => value !== undefined && value !== null);
}
