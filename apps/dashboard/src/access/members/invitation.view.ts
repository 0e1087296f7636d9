import { ApiProperty } from '@nestjs/swagger';
import type { Invitation } from '../people/invitations.repository';
import { ROLES, type Role } from '../people/role';

/** An invitation without its code, which only its creation shows. */
export class InvitationView {
  @ApiProperty({ format: 'uuid' }) readonly invitationId!: string;
  @ApiProperty({ enum: ROLES }) readonly role!: Role;
  @ApiProperty({ type: String, nullable: true, example: 'Ada', description: 'Who is invited, as the owner wrote it.' })
  readonly name!: string | null;
  @ApiProperty({ format: 'date-time' }) readonly createdAt!: string;
  @ApiProperty({ format: 'date-time' }) readonly expiresAt!: string;
}

export class CreatedInvitationView extends InvitationView {
  @ApiProperty({ example: 'pm_invite_…', description: 'No other answer shows it.' }) readonly code!: string;
}

export function toInvitationView({ id, role, name, createdAt, expiresAt }: Invitation): InvitationView {
  return { invitationId: id, role, name, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() };
}

/** What of an invitation the audit log has: never its code. */
export function toLoggedInvitation({ role, name, expiresAt }: Invitation) {
  return { role, name, expiresAt: expiresAt.toISOString() };
}
