import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Account } from '../accounts/account';
import { AccountsRepository } from '../accounts/accounts.repository';
import type { Actor } from '../../platform/audit/actor';
import { AuditLogRepository } from '../../platform/audit/audit-log.repository';
import { INVITATION_CODE } from '../../platform/crypto/secret-text';
import { InvitationNotFoundError, LimitReachedError, RoleNotFoundError } from '../../platform/http/dashboard-errors';
import { InvitationsRepository, type Invitation } from '../people/invitations.repository';
import { assertMayGive, type RoleGrant } from '../people/role';
import { RolesRepository } from '../people/roles.repository';
import { InvitationAcceptance } from './invitation-acceptance';
import {
  toInvitationView,
  toLoggedInvitation,
  type CreatedInvitationView,
  type InvitationView,
} from './invitation.view';
import type { CreateInvitationDto } from './member.dto';
import type { OwnAccountView } from './member.view';
import { OwnersLock } from './owners-lock';

const VALID_DAYS = 7;
/** Open invitations and members of one account together. */
const MAX_MEMBERS = 200;

/** Offers of an account to become its member. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly invitations: InvitationsRepository,
    private readonly acceptance: InvitationAcceptance,
    private readonly lock: OwnersLock,
    private readonly roles: RolesRepository,
    private readonly auditLog: AuditLogRepository,
  ) {}

  async list(account: Account): Promise<InvitationView[]> {
    const { manager } = this.dataSource;
    const invitations = await this.invitations.listOf(account.id);
    return Promise.all(invitations.map(async (each) => toInvitationView(each, await this.grantOf(manager, each))));
  }

  /** @returns with the code, which is shown this once @throws {LimitReachedError} {@link NotAllowedError} */
  async create(actor: Actor, { role, name = null }: CreateInvitationDto): Promise<CreatedInvitationView> {
    const { accountId, personId } = actor;
    if (!personId) throw new Error('the route is not for people only');
    const code = INVITATION_CODE.generate();
    return this.dataSource.transaction(async (manager) => {
      const { members, actor: giver } = await this.lock.take(manager, actor);
      const grant = await this.roles.grantOf(manager, accountId, role);
      if (!grant) throw new RoleNotFoundError();
      assertMayGive(giver, grant);
      const open = await this.invitations.listOf(accountId, manager);
      if (members.length + open.length >= MAX_MEMBERS) {
        throw new LimitReachedError(`An account can have at most ${MAX_MEMBERS} members and open invitations`);
      }
      const wish = { id: randomUUID(), accountId, role: grant.role, name, createdBy: personId, code, days: VALID_DAYS };
      const invitation = await this.invitations.insert(manager, wish);
      const after = toLoggedInvitation(invitation, grant);
      const change = { subject: 'invitation', subjectId: invitation.id, before: null, after } as const;
      await this.auditLog.appendOfAccount(manager, actor, change);
      return { ...toInvitationView(invitation, grant), code };
    });
  }

  /** @throws {InvitationNotFoundError} */
  async withdraw(actor: Actor, invitationId: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const invitation = await this.invitations.delete(manager, actor.accountId, invitationId);
      if (!invitation) throw new InvitationNotFoundError();
      const before = toLoggedInvitation(invitation, await this.grantOf(manager, invitation));
      const change = { subject: 'invitation', subjectId: invitation.id, before, after: null } as const;
      await this.auditLog.appendOfAccount(manager, actor, change);
    });
  }

  /**
   * @param guest.address of the client, whose guess a wrong code is
   * @throws {InvitationNotFoundError} {@link AlreadyMemberError}
   */
  async accept(guest: { code: string; personId: string; address: string }): Promise<OwnAccountView> {
    return this.dataSource.transaction(async (manager) => {
      const { accountId, role } = await this.acceptance.accept(manager, guest);
      const { name } = await this.accounts.lock(manager, accountId);
      return { accountId, name, ...(await this.grantOf(manager, { accountId, role })) };
    });
  }

  /** A role cannot go while an open invitation offers it. */
  private async grantOf(manager: EntityManager, of: Pick<Invitation, 'accountId' | 'role'>): Promise<RoleGrant> {
    const grant = await this.roles.grantOf(manager, of.accountId, of.role);
    return grant ?? { role: of.role, roleName: of.role, rights: [] };
  }
}
