import { applyDecorators } from '@nestjs/common';
import { Type, type TypeHelpOptions } from 'class-transformer';
import { IsArray, IsObject, ValidateNested } from 'class-validator';
import { InvalidBodyError } from './dashboard-errors';

/**
 * Requires a list of at most `most` objects. class-validator would check every object of a list even if the list is too
 * long, which takes up to 20 µs per object. So this decorator counts the objects before they are created.
 */
export function IsListOf(type: () => new () => object, most: number): PropertyDecorator {
  const counted = ({ object, property }: TypeHelpOptions): new () => object => {
    const list = (object as Record<string, unknown>)[property];
    if (Array.isArray(list) && list.length > most) {
      throw new InvalidBodyError(`${property} must contain no more than ${most} elements`);
    }
    return type();
  };
  return applyDecorators(
    Type((help) => counted(help as TypeHelpOptions)),
    IsArray(),
    IsObject({ each: true }),
    ValidateNested({ each: true }),
  );
}
