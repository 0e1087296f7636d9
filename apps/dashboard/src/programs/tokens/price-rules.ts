import type { PriceReference } from '@paymaster/domain';
import { API_ID_PATTERN, FIXED_USD_PATTERN, LOGO_URL_PATTERN } from '@paymaster/messaging';
import { Matches, ValidateBy } from 'class-validator';

/** An object that names where a price comes from. */
export function NamesPriceSource(): PropertyDecorator {
  return ValidateBy({
    name: 'namesPriceSource',
    validator: {
      validate: namesPriceSource,
      defaultMessage: () => '$property must name at least one of feed, apiId and fixedUsd',
    },
  });
}

function namesPriceSource(price: unknown): boolean {
  const { feed, apiId, fixedUsd } = (price ?? {}) as Partial<Record<keyof PriceReference, unknown>>;
  return [feed, apiId, fixedUsd].some((source) => source !== undefined && source !== null);
}

/** USD per whole token, as text, so that no digit is lost. */
export function IsUsdAmount(): PropertyDecorator {
  return Matches(FIXED_USD_PATTERN, {
    message:
      '$property must be decimal text above zero, such as "0.9995", with at most 18 digits on either side of the point',
  });
}

/** An id of the HTTP price API. */
export function IsPriceApiId(): PropertyDecorator {
  return Matches(API_ID_PATTERN, {
    message: '$property must be 1 to 100 letters, digits, dots, underscores and hyphens',
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
