import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Account } from '../accounts/account';
import { AccountsRepository } from '../accounts/accounts.repository';
import type { Actor } from '../../platform/audit/actor';
import { AccountNotFoundError, NotAllowedError } from '../../platform/http/dashboard-errors';
import { PeopleRepository } from '../people/people.repository';
import type { Member } from '../people/person';

/** The lock under which those who may change the team change members, roles, invitations, auth tokens and the account's name. */
@Injectable()
export class OwnersLock {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly people: PeopleRepository,
  ) {}

  /**
   * Locks the account's row until the transaction ends. The guard let the request in before it waited for the lock, so
   * the actor's role is read again: else an owner could undo the loss of his role by requests that wait.
   *
   * @returns the account, its members and the actor among them, as they are under the lock
   * @throws {NotAllowedError} {@link AccountNotFoundError} when the actor may change the team no more
   */
  async take(
    manager: EntityManager,
    { accountId, personId }: Actor,
  ): Promise<{ account: Account; members: Member[]; actor: Member }> {
    const account = await this.accounts.lock(manager, accountId);
    const members = await this.people.membersOf(accountId, manager);
    const actor = members.find((member) => member.personId === personId);
    if (!actor) throw new AccountNotFoundError();
    if (!actor.rights.includes('team'))
      throw new NotAllowedError(`Your role in this account, ${actor.roleName}, does not allow this`);
    return { account, members, actor };
  }
}
