import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsString, Length, Matches } from 'class-validator';

/** Control characters, lone surrogates, line separators and direction overrides: what could forge a signed text. */
const HARMLESS_TEXT = /^[^\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u;

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
