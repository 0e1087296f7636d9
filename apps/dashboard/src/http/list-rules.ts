import { applyDecorators } from '@nestjs/common';
import { Type, type TypeHelpOptions } from 'class-transformer';
import { IsArray, IsObject, ValidateNested } from 'class-validator';
import { InvalidBodyError } from './dashboard-errors';

/**
 * A list of objects, and how many at most. class-validator looks at each of them also where there are too many, which
 * takes up to 20 µs for each: so they are counted before they are made.
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
