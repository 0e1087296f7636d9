import { applyDecorators } from '@nestjs/common';
import { findWrongChecksum, WRONG_CHECKSUM } from '@paymaster/chain';
import { isSponsorIcon, LOGO_URL_PATTERN, MAX_SPONSOR_ICON_LENGTH } from '@paymaster/domain';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsString, Length, Matches, ValidateBy } from 'class-validator';

/**
 * Control characters, lone surrogates, line separators, and format characters (zero-width, direction, tags): what
 * could forge a signed text. The one exception is the joiner U+200D between two emoji, where it is no longer invisible.
 */
const HARMLESS_TEXT =
  /^(?:[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?<=\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]?)\u200D(?=\p{Extended_Pictographic}))*$/u;

/** More UTF-16 units than 100 characters have in any form. Each character can have many marks, and NFC sorts them all. */
const MOST_NAME_UNITS = 1_000;

/** A field of a body that is a name, see {@link IsName}. */
export const Name = (api: ApiPropertyOptions): PropertyDecorator =>
  applyDecorators(ApiProperty({ minLength: 1, maxLength: 100, ...api } as ApiPropertyOptions), IsName());

/** A name: trimmed, in Unicode NFC, not empty, nothing invisible that could change how a text reads. */
export function IsName(maxLength = 100): PropertyDecorator {
  const length = { message: `$property must be 1 to ${maxLength} characters long` };
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? inOneForm(value.trim()) : value)),
    IsString(),
    Matches(new RegExp(`^[^]{0,${MOST_NAME_UNITS}}$`), length),
    Length(1, maxLength, length),
    Matches(HARMLESS_TEXT, { message: '$property must not contain control characters' }),
  );
}

/** NFC takes the square of a row of marks: 22 s for 200,000. What is too long for a name stays as it is. */
function inOneForm(name: string): string {
  return name.length > MOST_NAME_UNITS ? name : name.normalize('NFC');
}

/** An address in any case; the services bring it to lower case. The first rule listed is the first one checked. */
export function IsAddress(): PropertyDecorator {
  return applyDecorators(
    IsString(),
    Matches(/^0x[0-9a-fA-F]{40}$/, { message: '$property must be an address: 0x and 40 hexadecimal digits' }),
  );
}

/** An address that is kept: in mixed case its checksum has to be right. The first rule listed is the first one checked. */
export function IsStoredAddress(): PropertyDecorator {
  return applyDecorators(IsAddress(), HasRightChecksum());
}

/** Addresses, or a list of them, in one case, or in mixed case with the right checksum. */
export function HasRightChecksum(): PropertyDecorator {
  const firstWrong = (value: unknown): string | undefined => {
    const found = findWrongChecksum(value);
    return found === '' || found === undefined ? found : `.${found}`;
  };
  return ValidateBy({
    name: 'hasRightChecksum',
    validator: {
      validate: (value: unknown) => firstWrong(value) === undefined,
      defaultMessage: (problem) => `${problem?.property}${firstWrong(problem?.value) ?? ''} ${WRONG_CHECKSUM}`,
    },
  });
}

/** Wei as decimal digits: no amount on any chain is a JSON number. */
export function IsWeiDigits(): PropertyDecorator {
  return Matches(/^(0|[1-9][0-9]{0,76})$/, { message: '$property must be a string of decimal digits or null' });
}

/** A time in UTC, to the millisecond. */
export function IsUtcTime(): PropertyDecorator {
  return Matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/, {
    message: '$property must be a time in UTC, such as 2030-01-31T12:00:00Z',
  });
}

/** A small image in a data URI. */
export function IsIcon(): PropertyDecorator {
  return ValidateBy({
    name: 'isIcon',
    validator: {
      validate: isSponsorIcon,
      defaultMessage: (problem) =>
        `${problem?.property} must be a PNG, JPEG, GIF or WebP image as data:image/…;base64,… of at most ` +
        `${MAX_SPONSOR_ICON_LENGTH} characters, or null`,
    },
  });
}

/** What browsers may load as a logo: no other scheme, no user information. */
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

const ORIGIN_SHAPE = /^https?:\/\/[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?$/;
const MAX_QUOTED = 300;

/**
 * A list of `*` and browser origins, each exactly as a browser sends it (RFC 6454, section 6.2): the gateway compares
 * byte by byte, so that any other spelling would never match.
 */
export function AreOrigins(): PropertyDecorator {
  return ValidateBy({
    name: 'areOrigins',
    validator: {
      validate: (values: unknown) => firstNonOrigin(values) === undefined,
      defaultMessage: (problem) =>
        `${problem?.property}: ${quote(firstNonOrigin(problem?.value))} must be * or an origin as browsers send it, ` +
        'such as https://app.example.org: lower case, no path, no default port',
    },
  });
}

function firstNonOrigin(values: unknown): unknown {
  return Array.isArray(values) ? values.find((value) => !isOrigin(value)) : undefined;
}

function isOrigin(value: unknown): boolean {
  if (value === '*') return true;
  if (typeof value !== 'string' || !ORIGIN_SHAPE.test(value) || !URL.canParse(value)) return false;
  return new URL(value).origin === value;
}

function quote(value: unknown): string {
  return JSON.stringify(typeof value === 'string' ? value.slice(0, MAX_QUOTED) : value);
}
