import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Account } from '../accounts/account';
import { AccountsRepository } from '../accounts/accounts.repository';
import type { Actor } from '../../platform/audit/actor';
import { AccountNotFoundError, NotAllowedError } from '../../platform/http/dashboard-errors';
import { PeopleRepository } from '../people/people.repository';
import type { Member } from '../people/person';

/** The lock under which owners change what belongs to owners: members, invitations, auth tokens, the account's name. */
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
   * @returns the account and its members, as they are under the lock
   * @throws {NotAllowedError} {@link AccountNotFoundError} when the actor is an owner no more
   */
  async take(manager: EntityManager, { accountId, personId }: Actor): Promise<{ account: Account; members: Member[] }> {
    const account = await this.accounts.lock(manager, accountId);
    const members = await this.people.membersOf(accountId, manager);
    const actor = members.find((member) => member.personId === personId);
    if (!actor) throw new AccountNotFoundError();
    if (actor.role !== 'owner')
      throw new NotAllowedError(`Your role in this account, ${actor.role}, does not allow this`);
    return { account, members };
  }
}
