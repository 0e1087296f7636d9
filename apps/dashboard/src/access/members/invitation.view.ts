import { ApiProperty } from '@nestjs/swagger';
import type { Invitation } from '../people/invitations.repository';
import type { RoleGrant } from '../people/role';
import { RoleGrantView } from './role.view';

/** An invitation without its code, which only its creation shows. */
export class InvitationView extends RoleGrantView {
  @ApiProperty({ format: 'uuid' }) readonly invitationId!: string;
  @ApiProperty({ type: String, nullable: true, example: 'Ada', description: 'Who is invited, as the owner wrote it.' })
  readonly name!: string | null;
  @ApiProperty({ format: 'date-time' }) readonly createdAt!: string;
  @ApiProperty({ format: 'date-time' }) readonly expiresAt!: string;
}

export class CreatedInvitationView extends InvitationView {
  @ApiProperty({ example: 'pm_invite_…', description: 'No other answer shows it.' }) readonly code!: string;
}

export function toInvitationView(invitation: Invitation, grant: RoleGrant): InvitationView {
  const { id, name, createdAt, expiresAt } = invitation;
  const times = { createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() };
  return { invitationId: id, ...grant, name, ...times };
}

/** What of an invitation the audit log has: never its code. */
export function toLoggedInvitation({ name, expiresAt }: Invitation, { roleName: role }: Pick<RoleGrant, 'roleName'>) {
  return { role, name, expiresAt: expiresAt.toISOString() };
}
