import { PRICE_SOURCE_NAMES, sourcesOf } from '@paymaster/domain';
import { ValidateBy } from 'class-validator';

/** An object that names where a price comes from. */
export function NamesPriceSource(): PropertyDecorator {
  return ValidateBy({
    name: 'namesPriceSource',
    validator: {
      validate: (price: unknown) => sourcesOf((price ?? {}) as object).length > 0,
      defaultMessage: () => `$property must name at least one of ${PRICE_SOURCE_NAMES}`,
    },
  });
}
