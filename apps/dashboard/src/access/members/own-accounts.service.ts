import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Account } from '../accounts/account';
import { AccountsRepository } from '../accounts/accounts.repository';
import type { Actor } from '../../platform/audit/actor';
import { AuditLogRepository } from '../../platform/audit/audit-log.repository';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { onUniqueViolation } from '../../platform/database/unique-violation';
import {
  AccountNameExistsError,
  LimitReachedError,
  NotAllowedError,
  SignUpByInvitationError,
} from '../../platform/http/dashboard-errors';
import { Memberships } from '../people/memberships';
import { PeopleRepository } from '../people/people.repository';
import { fixedRole, type RoleGrant } from '../people/role';
import type { Session } from '../people/sessions';
import { toAccountView, type AccountSecondFactorView, type AccountView, type OwnAccountView } from './member.view';
import { OwnersLock } from './owners-lock';

/** Accounts that one person may be a member of when he makes another one. */
const MAX_ACCOUNTS = 20;

/** Accounts that people make themselves, and their names. */
@Injectable()
export class OwnAccountsService {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(DashboardConfig) private readonly config: Pick<DashboardConfig, 'signUp'>,
    private readonly accounts: AccountsRepository,
    private readonly people: PeopleRepository,
    private readonly lock: OwnersLock,
    private readonly memberships: Memberships,
    private readonly auditLog: AuditLogRepository,
  ) {}

  /**
   * A new account, whose owner is the person.
   *
   * @throws {SignUpByInvitationError} {@link AccountNameExistsError} {@link LimitReachedError}
   */
  async create(personId: string, name: string): Promise<OwnAccountView> {
    if (this.config.signUp === 'invite') throw new SignUpByInvitationError();
    const account = { id: randomUUID(), name };
    const actor = { accountId: account.id, personId };
    await withUniqueName(() =>
      this.dataSource.transaction(async (manager) => {
        await this.people.lock(manager, personId);
        if ((await this.people.membershipsOf(personId, manager)).length >= MAX_ACCOUNTS) {
          throw new LimitReachedError(`A person can be a member of at most ${MAX_ACCOUNTS} accounts`);
        }
        await this.accounts.insert(manager, account);
        const change = { subject: 'account', subjectId: account.id, before: null, after: { name } } as const;
        await this.auditLog.appendOfAccount(manager, actor, change);
        await this.memberships.add(manager, actor, { personId, role: 'owner' });
      }),
    );
    return { ...toAccountView(account), ...OWNER };
  }

  /** @throws {AccountNameExistsError} {@link NotAllowedError} */
  async rename({ id }: Account, actor: Actor, name: string): Promise<AccountView> {
    await withUniqueName(() =>
      this.dataSource.transaction(async (manager) => {
        const { account: before } = await this.lock.take(manager, actor);
        await this.accounts.rename(manager, { id, name });
        const change = { subject: 'account', subjectId: id, before: { name: before.name }, after: { name } } as const;
        await this.auditLog.appendOfAccount(manager, actor, change);
      }),
    );
    return toAccountView({ id, name });
  }

  /** Holds at the next request of each member. @throws {NotAllowedError} so that no owner shuts himself out */
  async requireSecondFactor(
    actor: Actor,
    { isStrong }: Pick<Session, 'isStrong'>,
    required: boolean,
  ): Promise<AccountSecondFactorView> {
    const { accountId: id } = actor;
    await this.dataSource.transaction(async (manager) => {
      const { account, actor: owner } = await this.lock.take(manager, actor);
      if (owner.role !== 'owner') throw new NotAllowedError(OWNERS_ONLY);
      if (required && !isStrong) throw new NotAllowedError(OWN_FACTOR_FIRST);
      await this.accounts.requireSecondFactor(manager, id, required);
      const [before, after] = [
        { secondFactorRequired: account.secondFactorRequired },
        { secondFactorRequired: required },
      ];
      await this.auditLog.appendOfAccount(manager, actor, { subject: 'account', subjectId: id, before, after });
    });
    return { required };
  }
}

export const OWNERS_ONLY = 'Only owners of the account may do this';
export const OWN_FACTOR_FIRST = 'Add a second factor yourself first, or sign in with a passkey';

const OWNER = fixedRole('owner') as RoleGrant;

const withUniqueName = <T>(write: () => Promise<T>): Promise<T> =>
  onUniqueViolation({ accounts_name_key: () => new AccountNameExistsError() }, write);
