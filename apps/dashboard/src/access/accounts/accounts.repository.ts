import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { isUuid } from '../../platform/database/uuid';
import { Account, type AuthenticatedAccount } from './account';
import { AuthTokenEntity } from './auth-token.entity.db';

/** A token as a list shows it: never the token. */
export type AuthTokenSummary = Omit<AuthTokenEntity, 'account' | 'tokenHash'> & { readonly accountName: string };

/** What is stored of a new token. */
export type NewAuthToken = Omit<AuthTokenEntity, 'account' | 'createdAt' | 'revokedAt' | 'lastUsedAt'>;

/** Accounts and the hashes of their tokens. */
@Injectable()
export class AccountsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** A token that was not revoked and has not expired, and its account. Its use is noted once a minute. */
  async findByTokenHash(tokenHash: string): Promise<AuthenticatedAccount | null> {
    const token = await this.dataSource
      .getRepository(AuthTokenEntity)
      .createQueryBuilder('token')
      .innerJoinAndSelect('token.account', 'account')
      .where('token.tokenHash = :tokenHash AND token.revokedAt IS NULL', { tokenHash })
      .andWhere('(token.expiresAt IS NULL OR token.expiresAt > now())')
      .getOne();
    if (!token) return null;
    const { account, id: tokenId, scope, paymasterId, lastUsedAt } = token;
    if (!lastUsedAt || Date.now() - lastUsedAt.getTime() > NOTED_EVERY_MS) await this.noteUse(tokenId);
    return { account, tokenId, scope, paymasterId };
  }

  /** Locks the account's row until the transaction ends, so that counting and inserting are one step. */
  async lock(manager: EntityManager, accountId: string): Promise<Account> {
    return manager
      .getRepository(Account)
      .findOneOrFail({ where: { id: accountId }, lock: { mode: 'pessimistic_write' } });
  }

  async findByName(name: string): Promise<Account | null> {
    return this.dataSource.getRepository(Account).findOneBy({ name });
  }

  async find(id: string): Promise<Account | null> {
    return isUuid(id) ? this.dataSource.getRepository(Account).findOneBy({ id }) : null;
  }

  /** Whether a person made the account or named it on the page: the audit log, from which nothing goes, says so. */
  async wasNamedByPerson(id: string): Promise<boolean> {
    const rows = (await this.dataSource.query(
      `SELECT FROM dashboard.audit_log
        WHERE account_id = $1 AND subject = 'account' AND person_id IS NOT NULL AND after ->> 'name' IS NOT NULL LIMIT 1`,
      [id],
    )) as unknown[];
    return rows.length > 0;
  }

  /** Inserts an account. @returns it; null when there is one of that name already */
  async insertIfMissing({ id, name }: Pick<Account, 'id' | 'name'>): Promise<Account | null> {
    const rows = (await this.dataSource.query(
      `INSERT INTO dashboard.accounts (id, name) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING
       RETURNING id, name, second_factor_required AS "secondFactorRequired", created_at AS "createdAt"`,
      [id, name],
    )) as Account[];
    return rows[0] ?? null;
  }

  async insert(manager: EntityManager, account: Pick<Account, 'id' | 'name'>): Promise<void> {
    await manager.getRepository(Account).insert(account);
  }

  async rename(manager: EntityManager, { id, name }: Pick<Account, 'id' | 'name'>): Promise<void> {
    await manager.getRepository(Account).update({ id }, { name });
  }

  async requireSecondFactor(manager: EntityManager, id: string, secondFactorRequired: boolean): Promise<void> {
    await manager.getRepository(Account).update({ id }, { secondFactorRequired });
  }

  /** @returns it as it is stored */
  async insertToken(token: NewAuthToken, manager = this.dataSource.manager): Promise<AuthTokenEntity> {
    const tokens = manager.getRepository(AuthTokenEntity);
    await tokens.insert(token);
    return tokens.findOneByOrFail({ id: token.id });
  }

  /** Tokens of all accounts, revoked ones too, oldest first. */
  async listTokens(): Promise<AuthTokenSummary[]> {
    const tokens = await this.dataSource
      .getRepository(AuthTokenEntity)
      .find({ relations: { account: true }, order: { createdAt: 'ASC', id: 'ASC' } });
    return tokens.map(({ account, tokenHash: _tokenHash, ...token }) => ({ ...token, accountName: account.name }));
  }

  /** Tokens of an account that were not revoked, oldest first. */
  async listTokensOf(accountId: string, manager = this.dataSource.manager): Promise<AuthTokenEntity[]> {
    return manager
      .getRepository(AuthTokenEntity)
      .find({ where: { accountId, revokedAt: IsNull() }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  /**
   * @param accountId whose token it has to be; left out: any account's
   * @returns the token, if there was such a token that was not revoked before
   */
  async revokeToken(
    id: string,
    accountId?: string,
    manager = this.dataSource.manager,
  ): Promise<AuthTokenEntity | null> {
    if (!isUuid(id)) return null;
    const where = { id, revokedAt: IsNull(), ...(accountId && { accountId }) };
    const tokens = manager.getRepository(AuthTokenEntity);
    const token = await tokens.findOneBy(where);
    const { affected } = await tokens.update(where, { revokedAt: new Date() });
    return affected === 1 ? token : null;
  }

  private async noteUse(tokenId: string): Promise<void> {
    await this.dataSource.getRepository(AuthTokenEntity).update({ id: tokenId }, { lastUsedAt: new Date() });
  }
}

const NOTED_EVERY_MS = 60_000;
