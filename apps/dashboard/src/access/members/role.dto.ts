import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayNotEmpty, ArrayUnique, IsArray, IsIn, Matches } from 'class-validator';
import { UUID } from '../../platform/database/uuid';
import { IfSent } from '../../platform/fields/presence-rules';
import { IsName, Name } from '../../platform/fields/text-rules';
import { FIXED_ROLES, RIGHTS, type Right } from '../people/role';

const RIGHTS_API = {
  enum: RIGHTS,
  isArray: true,
  example: ['read', 'policies'],
  description:
    'read: see all but secrets and people; policies: say what is sponsored; keys: see and change keys and webhooks, ' +
    'and see who did what; money: link the wallet, set tokens and who gets them, switch and release the brake; team: see ' +
    'and change members, roles, invitations and auth tokens.',
} as const;

/** Decorators are checked from the bottom up. */
const AreRights = (): PropertyDecorator =>
  applyDecorators(
    IsIn(RIGHTS, { each: true, message: `$property must be of ${RIGHTS.join(', ')}` }),
    ArrayUnique(),
    ArrayNotEmpty(),
    IsArray(),
  );

/** The name of a fixed role, or the id of a role that the account made. */
export const ROLE_API = {
  type: String,
  example: 'viewer',
  description:
    'owner: everything; editor: all but members, roles, invitations, auth tokens and the name of the account; ' +
    'viewer: reads, but no secrets; support: reads everything, changes nothing; or the id of a role of the account.',
} as const;

export function IsRole(): PropertyDecorator {
  const pattern = new RegExp(`^(${FIXED_ROLES.join('|')})$|${UUID.source}`);
  const message = `$property must be one of ${FIXED_ROLES.join(', ')}, or the id of a role of the account`;
  return applyDecorators(ApiProperty(ROLE_API), Matches(pattern, { message }));
}

/** The audit log tells roles by their names. */
const IsNoFixedRole = (): PropertyDecorator =>
  Matches(new RegExp(`^(?!\\s*(?:${FIXED_ROLES.join('|')})\\s*$)`, 'i'), {
    message: `$property must not be ${FIXED_ROLES.join(', ')}, which every account has`,
  });

/** Body of POST roles. */
export class CreateRoleDto {
  @IsNoFixedRole()
  @Name({ example: 'Finance' })
  name!: string;

  @ApiProperty(RIGHTS_API)
  @AreRights()
  rights!: Right[];
}

/** Body of PATCH roles/:roleId. */
export class UpdateRoleDto {
  @ApiPropertyOptional({ minLength: 1, maxLength: 100, example: 'Finance' })
  @IsNoFixedRole()
  @IsName()
  @IfSent()
  name?: string;

  @ApiPropertyOptional(RIGHTS_API)
  @AreRights()
  @IfSent()
  rights?: Right[];
}
