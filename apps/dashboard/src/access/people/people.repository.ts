import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { isUuid } from '../../platform/database/uuid';
import { SignInAgainError } from '../../platform/http/dashboard-errors';
import { MemberEntity, PersonEntity, type Member, type Membership, type Person, type ProvenWallet } from './person';
import { fixedRole, type Right, type Role, type RoleGrant } from './role';
import type { OpenSession } from './sessions';

const HAS_SECOND_FACTOR = `(
  EXISTS (SELECT FROM dashboard.second_factors f WHERE f.person_id = p.id AND f.confirmed_at IS NOT NULL)
    OR EXISTS (SELECT FROM dashboard.passkeys k WHERE k.person_id = p.id))`;
const MEMBER = `p.id AS "personId", p.name, p.wallet_address AS "walletAddress", m.role, m.joined_at AS "joinedAt",
  r.name AS "ownName", r.rights AS "ownRights",
  ${HAS_SECOND_FACTOR} AS "hasSecondFactor"`;
export const PASSKEY_WANTED = 'Sign in with your passkey: only then you can change how you sign in';
/** A role that the account made; of fixed roles there is no row. */
const WITH_ROLE = `LEFT JOIN dashboard.roles r ON r.account_id = m.account_id AND r.id = m.role_id`;

/** People, and the accounts that they are members of. */
@Injectable()
export class PeopleRepository {
  constructor(private readonly dataSource: DataSource) {}

  async findByWallet(manager: EntityManager, { walletAddress, walletChainId }: ProvenWallet): Promise<Person | null> {
    return manager.findOneBy(PersonEntity, { walletAddress, walletChainId: walletChainId ?? IsNull() });
  }

  async get(manager: EntityManager, id: string): Promise<Person> {
    const person = await manager.findOneBy(PersonEntity, { id });
    if (!person) throw new Error(`the person ${id} is gone`);
    return person;
  }

  /** Locks the person's row until the transaction ends. */
  async lock(manager: EntityManager, id: string): Promise<void> {
    await manager.query('SELECT FROM dashboard.people WHERE id = $1 FOR NO KEY UPDATE', [id]);
  }

  /**
   * Else a first factor alone could add a second one of its own. The person's row has to be locked.
   *
   * @throws {SignInAgainError} when the person has a passkey or a second factor, of which the session has shown nothing
   */
  async assertShown(manager: EntityManager, { person, session }: OpenSession): Promise<void> {
    const rows = (await manager.query(
      `SELECT FROM dashboard.people p WHERE p.id = $1 AND ${HAS_SECOND_FACTOR}
          AND NOT EXISTS (SELECT FROM dashboard.sessions s WHERE s.id = $2 AND s.proof <> 'first')`,
      [person.id, session.id],
    )) as unknown[];
    if (rows.length > 0) throw new SignInAgainError(PASSKEY_WANTED);
  }

  /** @returns whether it was inserted; false when another person has the wallet, for example since a moment ago */
  async insert(manager: EntityManager, person: Person): Promise<boolean> {
    const { id, name, walletAddress, walletChainId, isOperator } = person;
    const rows = (await manager.query(
      `INSERT INTO dashboard.people (id, name, wallet_address, wallet_chain, is_operator) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (wallet_address, COALESCE(wallet_chain, 0)) DO NOTHING RETURNING id`,
      [id, name, walletAddress, walletChainId, isOperator],
    )) as unknown[];
    return rows.length > 0;
  }

  async rename(id: string, name: string): Promise<void> {
    await this.dataSource.manager.update(PersonEntity, { id }, { name });
  }

  /** The accounts of a person by name, with the person's roles. */
  async membershipsOf(personId: string, manager: EntityManager = this.dataSource.manager): Promise<Membership[]> {
    const rows = (await manager.query(
      `SELECT a.id, a.name, a.second_factor_required AS "secondFactorRequired", a.created_at AS "createdAt",
              m.role, r.name AS "ownName", r.rights AS "ownRights"
         FROM dashboard.members m JOIN dashboard.accounts a ON a.id = m.account_id ${WITH_ROLE}
        WHERE m.person_id = $1 ORDER BY a.name, a.id`,
      [personId],
    )) as (Membership['account'] & RoleColumns)[];
    return rows.map(({ role, ownName, ownRights, ...account }) => ({
      account,
      ...grantOf({ role, ownName, ownRights }),
    }));
  }

  /** The person's role in the account, or null: an account that does not exist looks like one of other people. */
  async membershipIn(personId: string, accountId: string): Promise<Membership | null> {
    if (!isUuid(accountId)) return null;
    const all = await this.membershipsOf(personId);
    return all.find(({ account }) => account.id === accountId.toLowerCase()) ?? null;
  }

  /** Members of an account, those who joined first at the top. */
  async membersOf(accountId: string, manager: EntityManager = this.dataSource.manager): Promise<Member[]> {
    const rows = (await manager.query(
      `SELECT ${MEMBER} FROM dashboard.members m JOIN dashboard.people p ON p.id = m.person_id ${WITH_ROLE}
        WHERE m.account_id = $1 ORDER BY m.joined_at, p.id`,
      [accountId],
    )) as MemberColumns[];
    return rows.map(toMember);
  }

  /**
   * The member without a wallet whom the operator's command made under that name, whatever name the person has chosen
   * since. The audit log, from which nothing goes, says so.
   */
  async memberMadeAs(manager: EntityManager, accountId: string, name: string): Promise<Member | null> {
    const rows = (await manager.query(
      `SELECT ${MEMBER} FROM dashboard.members m JOIN dashboard.people p ON p.id = m.person_id ${WITH_ROLE}
        WHERE m.account_id = $1 AND p.wallet_address IS NULL AND EXISTS (
          SELECT FROM dashboard.audit_log e
           WHERE e.account_id = $1 AND e.subject = 'member' AND e.subject_id = p.id::text AND e.action = 'created'
             AND e.person_id IS NULL AND e.token_id_prefix IS NULL AND e.after ->> 'name' = $2)
        ORDER BY m.joined_at, p.id LIMIT 1`,
      [accountId, name],
    )) as MemberColumns[];
    return rows[0] ? toMember(rows[0]) : null;
  }

  async addMember(manager: EntityManager, of: { accountId: string; personId: string; role: Role }): Promise<void> {
    await manager.insert(MemberEntity, { ...of });
  }

  async setRole(
    manager: EntityManager,
    { role, ...of }: { accountId: string; personId: string; role: Role },
  ): Promise<void> {
    await manager.update(MemberEntity, of, { role });
  }

  async removeMember(manager: EntityManager, of: { accountId: string; personId: string }): Promise<void> {
    await manager.delete(MemberEntity, of);
  }
}

interface RoleColumns {
  readonly role: Role;
  readonly ownName: string | null;
  readonly ownRights: readonly Right[] | null;
}
type MemberColumns = Omit<Member, 'roleName' | 'rights'> & RoleColumns;

function grantOf({ role, ownName, ownRights }: RoleColumns): RoleGrant {
  return fixedRole(role) ?? { role, roleName: ownName ?? role, rights: ownRights ?? [] };
}

function toMember({ ownName, ownRights, ...member }: MemberColumns): Member {
  return { ...member, ...grantOf({ role: member.role, ownName, ownRights }) };
}
