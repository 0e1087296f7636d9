import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { TEXT_OR_NULL } from '../../platform/fields/api-fields';
import { IsBoolean, IsString, MaxLength } from 'class-validator';
import { IfSentAndNotNull } from '../../platform/fields/presence-rules';
import { IsName, Name } from '../../platform/fields/text-rules';
import type { Role } from '../people/role';
import { IsRole } from './role.dto';

/** Body of POST account and PATCH account. */
export class AccountNameDto {
  @Name({ example: 'My team' })
  name!: string;
}

/** Body of PATCH account/second-factor. */
export class AccountSecondFactorDto {
  @ApiProperty({
    example: true,
    description: 'Whether members who may spend or see API keys need a second factor or a passkey.',
  })
  @IsBoolean()
  required!: boolean;
}

/** Body of PATCH members/:personId. */
export class UpdateMemberDto {
  @IsRole()
  role!: Role;
}

/** Body of POST invitations. */
export class CreateInvitationDto {
  @IsRole()
  role!: Role;

  @ApiPropertyOptional({
    ...TEXT_OR_NULL,
    minLength: 1,
    maxLength: 100,
    example: 'Ada',
    description: 'Who is invited, for the list.',
  })
  @IsName()
  @IfSentAndNotNull()
  name?: string | null;
}

/** Body of POST invitations/accept. */
export class AcceptInvitationDto {
  @ApiProperty({ maxLength: 200, example: 'pm_invite_…' })
  @MaxLength(200)
  @IsString()
  code!: string;
}
