import { applyDecorators } from '@nestjs/common';
import { IsNotEmpty, IsOptional, Matches, ValidateBy, ValidateIf } from 'class-validator';
import { Env } from '@paymaster/nest-kit';

/** For `smtpUrl`. */
export const SmtpUrlVariable = (): PropertyDecorator =>
  applyDecorators(
    Env(
      'SMTP_URL',
      'The mail server, for example smtps://user:password@mail.example.org. Without it no mail is sent (docs/operations/mail.md).',
      { secret: true },
    ),
    IsOptional(),
    ValidateBy({
      name: 'isSmtpUrl',
      validator: {
        validate: (value: unknown) =>
          typeof value === 'string' && /^smtps?:\/\/[^/?#]+/.test(value) && URL.canParse(value),
        defaultMessage: () => 'must be a URL that begins with smtps:// or smtp://',
      },
    }),
  );

/** For `smtpFrom`. */
export const SmtpFromVariable = (): PropertyDecorator =>
  applyDecorators(
    Env('SMTP_FROM', 'The sender of mails, for example Paymaster <paymaster@example.org>; required with SMTP_URL.'),
    ValidateIf(({ smtpUrl, smtpFrom }: { smtpUrl?: string; smtpFrom?: string }) => (smtpUrl ?? smtpFrom) !== undefined),
    Matches(/^([^<>@\r\n]* <[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/, {
      message: 'must be an address, or a name and an address in <>',
    }),
    IsNotEmpty(),
  );
