import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import type { Account } from '../accounts/account';
import { ADDRESS } from '../../platform/fields/api-fields';
import type { Member } from '../people/person';
import { RoleGrantView } from './role.view';

export class AccountView {
  @ApiProperty({ format: 'uuid' }) readonly accountId!: string;
  @ApiProperty({ example: 'My team' }) readonly name!: string;
}

/** What an account asks of its members. */
export class AccountSecondFactorView {
  @ApiProperty({
    example: true,
    description: 'Whether members who may spend or see API keys need a second factor or a passkey.',
  })
  readonly required!: boolean;
}

/** An account, and the role of the person who asks. */
export class OwnAccountView extends IntersectionType(AccountView, RoleGrantView) {}

export class MemberView extends RoleGrantView {
  @ApiProperty({ format: 'uuid' }) readonly personId!: string;
  @ApiProperty({ example: 'Ada' }) readonly name!: string;
  @ApiProperty({ ...ADDRESS, nullable: true, description: 'Null for a person who signs in with codes.' })
  readonly walletAddress!: string | null;
  @ApiProperty({ format: 'date-time' }) readonly joinedAt!: string;
  @ApiProperty({ description: 'Whether the person has a second factor or a passkey.' })
  readonly hasSecondFactor!: boolean;
}

export function toAccountView({ id, name }: Pick<Account, 'id' | 'name'>): AccountView {
  return { accountId: id, name };
}

export function toMemberView({ joinedAt, ...member }: Member): MemberView {
  return { ...member, joinedAt: joinedAt.toISOString() };
}
