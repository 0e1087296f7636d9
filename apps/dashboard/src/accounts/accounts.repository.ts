import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { isUuid } from '../database/uuid';
import type { Account, AuthenticatedAccount } from './account';
import { AccountEntity } from './account.entity.db';
import { AuthTokenEntity } from './auth-token.entity.db';

/** A token as a list shows it: never the token. */
export type AuthTokenSummary = Omit<AuthTokenEntity, 'account' | 'tokenHash'> & { readonly accountName: string };

/** What is stored of a new token. */
export type NewAuthToken = Omit<AuthTokenEntity, 'account' | 'createdAt' | 'revokedAt' | 'lastUsedAt'>;

/** Accounts and the hashes of their tokens. */
@Injectable()
export class AccountsRepository {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

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
      .getRepository(AccountEntity)
      .findOneOrFail({ where: { id: accountId }, lock: { mode: 'pessimistic_write' } });
  }

  async findByName(name: string, manager: EntityManager = this.dataSource.manager): Promise<Account | null> {
    return manager.getRepository(AccountEntity).findOneBy({ name });
  }

  /** Inserts an account, unless there is one of that name. */
  async insertIfMissing(account: Pick<Account, 'id' | 'name'>, manager = this.dataSource.manager): Promise<void> {
    await manager.getRepository(AccountEntity).createQueryBuilder().insert().values(account).orIgnore().execute();
  }

  async insert(manager: EntityManager, account: Pick<Account, 'id' | 'name'>): Promise<void> {
    await manager.getRepository(AccountEntity).insert(account);
  }

  async rename(manager: EntityManager, { id, name }: Pick<Account, 'id' | 'name'>): Promise<void> {
    await manager.getRepository(AccountEntity).update({ id }, { name });
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
