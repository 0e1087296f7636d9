import { ApiProperty } from '@nestjs/swagger';
import type { Account } from '../accounts/account';
import { ADDRESS } from '../../platform/fields/api-fields';
import type { Member } from '../people/person';
import { ROLES, type Role } from '../people/role';

export class AccountView {
  @ApiProperty({ format: 'uuid' }) readonly accountId!: string;
  @ApiProperty({ example: 'My team' }) readonly name!: string;
}

/** An account, and the role of the person who asks. */
export class OwnAccountView extends AccountView {
  @ApiProperty({ enum: ROLES }) readonly role!: Role;
}

export class MemberView {
  @ApiProperty({ format: 'uuid' }) readonly personId!: string;
  @ApiProperty({ example: 'Ada' }) readonly name!: string;
  @ApiProperty({ ...ADDRESS, nullable: true, description: 'Null for a person who signs in with codes.' })
  readonly walletAddress!: string | null;
  @ApiProperty({ enum: ROLES }) readonly role!: Role;
  @ApiProperty({ format: 'date-time' }) readonly joinedAt!: string;
}

export function toAccountView({ id, name }: Pick<Account, 'id' | 'name'>): AccountView {
  return { accountId: id, name };
}

export function toMemberView({ joinedAt, ...member }: Member): MemberView {
  return { ...member, joinedAt: joinedAt.toISOString() };
}
