import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsString, Length, Matches } from 'class-validator';

/**
 * Control characters, lone surrogates, line separators, and format characters (zero-width, direction, tags): what
 * could forge a signed text. The one exception is the joiner U+200D between two emoji, where it is no longer invisible.
 */
const HARMLESS_TEXT =
  /^(?:[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?<=\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]?)\u200D(?=\p{Extended_Pictographic}))*$/u;

/** A name: trimmed, in Unicode NFC, 1 to 100 characters, nothing invisible that could change how a text reads. */
export function IsName(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim().normalize('NFC') : value)),
    IsString(),
    Length(1, 100, { message: '$property must be 1 to 100 characters long' }),
    Matches(HARMLESS_TEXT, { message: '$property must not contain control characters' }),
  );
}

/** An address in any case; the services bring it to lower case. The first rule listed is the first one checked. */
export function IsAddress(): PropertyDecorator {
  return applyDecorators(
    IsString(),
    Matches(/^0x[0-9a-fA-F]{40}$/, { message: '$property must be an address: 0x and 40 hexadecimal digits' }),
  );
}
