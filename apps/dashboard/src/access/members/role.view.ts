import { ApiProperty } from '@nestjs/swagger';
import { RIGHTS, type Right } from '../people/role';
import type { OwnRole } from '../people/roles.repository';

const RIGHTS_API = { enum: RIGHTS, isArray: true, example: ['read', 'policies'] } as const;

/** What a person is in an account, and may do there. */
export class RoleGrantView {
  @ApiProperty({ example: 'viewer', description: 'A fixed role, or the id of a role of the account.' })
  readonly role!: string;
  @ApiProperty({ example: 'viewer', description: 'The role as people call it.' }) readonly roleName!: string;
  @ApiProperty({ ...RIGHTS_API, description: 'Support reads everything besides.' }) readonly rights!: readonly Right[];
}

/** A role that the account made. */
export class RoleView {
  @ApiProperty({ format: 'uuid' }) readonly roleId!: string;
  @ApiProperty({ example: 'Finance' }) readonly name!: string;
  @ApiProperty(RIGHTS_API) readonly rights!: readonly Right[];
  @ApiProperty({ format: 'date-time' }) readonly createdAt!: string;
}

export function toRoleView({ id, name, rights, createdAt }: OwnRole): RoleView {
  return { roleId: id, name, rights, createdAt: createdAt.toISOString() };
}
