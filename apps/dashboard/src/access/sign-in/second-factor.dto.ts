import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { TIME_OR_NULL } from '../../platform/fields/api-fields';
import { IfSent } from '../../platform/fields/presence-rules';

const CODE = { maxLength: 64, example: '123456' } as const;

/** Body of POST session/second-factor, POST person/second-factor/recovery-codes and DELETE person/second-factor. */
export class SecondFactorCodeDto {
  @ApiProperty({ ...CODE, description: 'Six digits that the device shows, or a recovery code. Each counts once.' })
  @MaxLength(CODE.maxLength)
  @IsString()
  code!: string;
}

/** Body of POST person/second-factor/confirm. */
export class ConfirmSecondFactorDto {
  @ApiProperty({ ...CODE, description: 'Six digits that the new device shows.' })
  @MaxLength(CODE.maxLength)
  @IsString()
  code!: string;
}

/** Body of POST person/second-factor. */
export class NewSecondFactorDto {
  @ApiPropertyOptional({ ...CODE, description: 'Where the person has a second factor: its code, or a recovery code.' })
  @MaxLength(CODE.maxLength)
  @IsString()
  @IfSent()
  code?: string;
}

export class SecondFactorView {
  @ApiProperty({ ...TIME_OR_NULL, description: 'Null where the person has no second factor.' })
  readonly since!: string | null;
  @ApiProperty({ type: 'integer', example: 10, description: 'Recovery codes that are not spent.' })
  readonly recoveryCodesLeft!: number;
}

/** What a device needs to show codes. */
export class NewSecondFactorView {
  @ApiProperty({ pattern: '^[A-Z2-7]+$', example: 'JBSWY3DPEHPK3PXP', description: 'In base32. Shown once.' })
  readonly secret!: string;
  @ApiProperty({ example: 'otpauth://totp/Paymaster:Ada?secret=JBSWY3DPEHPK3PXP', description: 'For a QR code.' })
  readonly uri!: string;
}

export class RecoveryCodesView {
  @ApiProperty({
    type: [String],
    example: ['abcd-efgh-ijkm-npqr'],
    description: 'Ten, each good once in place of a code. Shown once; those before are worth nothing.',
  })
  readonly recoveryCodes!: readonly string[];
}
