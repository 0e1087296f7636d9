import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength, ValidateBy } from 'class-validator';
import { TEXT_OR_NULL } from '../../platform/fields/api-fields';
import { isMailAddress } from '../../platform/mail/mailer';

const ADDRESS = { maxLength: 254, example: 'ada@example.org' } as const;

/** Body of POST session/mail-link and of POST person/mail-address. */
export class MailAddressDto {
  @ApiProperty(ADDRESS)
  @ValidateBy({
    name: 'isMailAddress',
    validator: {
      validate: isMailAddress,
      defaultMessage: (problem) => `${problem?.property} must be one mail address`,
    },
  })
  address!: string;
}

/** Body of POST person/mail-address/confirm. */
export class MailCodeDto {
  @ApiProperty({ maxLength: 200, example: 'pm_mail_…' })
  @MaxLength(200)
  @IsString()
  code!: string;
}

export class MailAddressView {
  @ApiProperty({ ...TEXT_OR_NULL, ...ADDRESS, description: 'Null where the person has confirmed none.' })
  readonly address!: string | null;
}
