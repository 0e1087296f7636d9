import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLogRepository } from '../../platform/audit/audit-log.repository';
import { AlreadyMemberError, InvitationNotFoundError } from '../../platform/http/dashboard-errors';
import { RateLimits } from '../../platform/http/rate-limits';
import { onUniqueViolation } from '../../platform/database/unique-violation';
import { InvitationsRepository, type Invitation } from '../people/invitations.repository';
import { Memberships } from '../people/memberships';
import { RolesRepository } from '../people/roles.repository';
import { toLoggedInvitation } from './invitation.view';

/** A person shows the code of an invitation and becomes a member of its account. */
@Injectable()
export class InvitationAcceptance {
  constructor(
    private readonly invitations: InvitationsRepository,
    private readonly memberships: Memberships,
    private readonly auditLog: AuditLogRepository,
    private readonly roles: RolesRepository,
    private readonly rates: RateLimits,
  ) {}

  /**
   * @param guest.address of the client, whose guess a wrong code is
   * @throws {InvitationNotFoundError} {@link AlreadyMemberError}; the transaction has to end without effect then
   */
  async accept(
    manager: EntityManager,
    guest: { readonly code: string; readonly personId: string; readonly address: string },
  ): Promise<Invitation> {
    const { personId, address } = guest;
    const code = guest.code.trim();
    const invitation = await this.invitations.take(manager, code);
    if (!invitation) {
      this.rates.forget({ address, credential: code });
      throw new InvitationNotFoundError();
    }
    const { id, accountId, role } = invitation;
    const actor = { accountId, personId };
    await onUniqueViolation({ members_pkey: () => new AlreadyMemberError() }, () =>
      this.memberships.add(manager, actor, { personId, role }),
    );
    const grant = await this.roles.grantOf(manager, accountId, role);
    const before = toLoggedInvitation(invitation, { roleName: grant?.roleName ?? role });
    await this.auditLog.appendOfAccount(manager, actor, { subject: 'invitation', subjectId: id, before, after: null });
    return invitation;
  }
}
