import { ApiProperty } from '@nestjs/swagger';
import { ADDRESS } from '../../platform/fields/api-fields';
import type { Membership, Person } from '../people/person';
import { RoleGrantView } from '../members/role.view';
import { lacksSecondFactor } from '../people/role';
import type { Session } from '../people/sessions';

export class NonceView {
  @ApiProperty({
    pattern: '^[0-9a-z]+$',
    example: '00697f1a80',
    description: 'For one message, in the next ten minutes.',
  })
  readonly nonce!: string;
}

export class PersonView {
  @ApiProperty({ format: 'uuid' }) readonly personId!: string;
  @ApiProperty({ example: 'Ada' }) readonly name!: string;
  @ApiProperty({ ...ADDRESS, nullable: true, description: 'Null for a person who signs in with codes.' })
  readonly walletAddress!: string | null;
  @ApiProperty({ description: 'Whether the person operates the installation.' }) readonly isOperator!: boolean;
}

export class MembershipView extends RoleGrantView {
  @ApiProperty({ format: 'uuid' }) readonly accountId!: string;
  @ApiProperty({ example: 'My team' }) readonly name!: string;
  @ApiProperty({ description: 'Whether members who may spend or see API keys need a second factor or a passkey.' })
  readonly secondFactorRequired!: boolean;
  @ApiProperty({ description: 'Whether the session lacks that: then the person may only read, as the rights say.' })
  readonly secondFactorMissing!: boolean;
}

export class SessionView {
  @ApiProperty({ format: 'uuid' }) readonly sessionId!: string;
  @ApiProperty({ format: 'date-time' }) readonly createdAt!: string;
  @ApiProperty({
    format: 'date-time',
    description: 'Unless it is used again; 30 days after its beginning in any case.',
  })
  readonly expiresAt!: string;
}

export class ListedSessionView extends SessionView {
  @ApiProperty({ format: 'date-time', description: 'To the minute.' }) readonly lastUsedAt!: string;
  @ApiProperty({ example: 'Mozilla/5.0', description: 'What the browser said that it is.' }) readonly browser!: string;
  @ApiProperty({ description: 'Whether it is the session that asks.' }) readonly current!: boolean;
}

/** Who is signed in, and what the person may do where. */
export class MeView {
  @ApiProperty({ type: PersonView }) readonly person!: PersonView;
  @ApiProperty({ type: [MembershipView] }) readonly accounts!: readonly MembershipView[];
  @ApiProperty({ type: SessionView }) readonly session!: SessionView;
}

export class EndedSessionsView {
  @ApiProperty({ type: 'integer', example: 2, description: 'Sessions that have ended.' }) readonly ended!: number;
}

export function toPersonView({ id, name, walletAddress, isOperator }: Person): PersonView {
  return { personId: id, name, walletAddress, isOperator };
}

export function toMembershipView(
  { account, rights, ...grant }: Membership,
  session: Pick<Session, 'isStrong'>,
): MembershipView {
  const secondFactorMissing = lacksSecondFactor({ account, rights, ...grant }, session);
  return {
    ...{ accountId: account.id, name: account.name, ...grant },
    rights: secondFactorMissing ? rights.filter((right) => right === 'read') : rights,
    ...{ secondFactorRequired: account.secondFactorRequired, secondFactorMissing },
  };
}

export function toSessionView({ id, createdAt, expiresAt }: Session): SessionView {
  return { sessionId: id, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() };
}

/** @param currentId of the session that asks */
export function toListedSessionView(session: Session, currentId: string): ListedSessionView {
  const { lastUsedAt, browser, id } = session;
  return { ...toSessionView(session), lastUsedAt: lastUsedAt.toISOString(), browser, current: id === currentId };
}
