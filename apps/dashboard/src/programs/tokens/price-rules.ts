import { PRICE_SOURCE_NAMES, sourcesOf } from '@paymaster/domain';
import { LOGO_URL_PATTERN } from '@paymaster/messaging';
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

/** What browsers may load as a token's logo: no other scheme, no user information. */
export function IsLogoUrl(): PropertyDecorator {
  return ValidateBy({
    name: 'isLogoUrl',
    validator: {
      validate: isLogoUrl,
      defaultMessage: () => '$property must be an https URL of at most 2048 characters, or null',
    },
  });
}

function isLogoUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !LOGO_URL_PATTERN.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === '' && password === '';
}
