import { applyDecorators } from '@nestjs/common';
import { Env } from '@paymaster/nest-kit';
import { IsOptional, ValidateBy } from 'class-validator';
import { DatabaseConfig } from './database.config';

/** Browsers keep a `__Host-` cookie of a page under https, and of pages on their own machine. */
const ON_THIS_MACHINE = ['localhost', '127.0.0.1'];

/** For `publicUrl`. */
export const PublicUrlVariable = (): PropertyDecorator =>
  applyDecorators(
    Env(
      'PUBLIC_URL',
      'The address of the page, for example https://paymaster.example.org. Without it nobody can sign in.',
    ),
    IsOptional(),
    ValidateBy({
      name: 'isPageOrigin',
      validator: {
        validate: isPageOrigin,
        defaultMessage: () =>
          'must be an origin as browsers send it: https://, lower case, no path; http:// for localhost and 127.0.0.1 only',
      },
    }),
  );

function isPageOrigin(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { origin, protocol, hostname } = new URL(value);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && ON_THIS_MACHINE.includes(hostname));
  return isSafe && origin === value;
}

/** All that the account command needs: links to the page begin with its address. */
export class AccountCommandConfig extends DatabaseConfig {
  @PublicUrlVariable()
  readonly publicUrl?: string;
}
