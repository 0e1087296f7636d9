import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import type { Account, AuthenticatedAccount } from './account';
import { AccountEntity } from './account.entity.db';
import { AuthTokenEntity } from './auth-token.entity.db';

/** A token as a list shows it: never the token. */
export interface AuthTokenSummary {
  readonly id: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

/** Accounts and the hashes of their tokens. */
@Injectable()
export class AccountsRepository {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** A token that was not revoked, and its account. */
  async findByTokenHash(tokenHash: string): Promise<AuthenticatedAccount | null> {
    const token = await this.dataSource
      .getRepository(AuthTokenEntity)
      .findOne({ where: { tokenHash, revokedAt: IsNull() }, relations: { account: true } });
    return token && { account: token.account, tokenId: token.id };
  }

  /** Locks the account's row until the transaction ends, so that counting and inserting are one step. */
  async lock(manager: EntityManager, accountId: string): Promise<void> {
    await manager
      .getRepository(AccountEntity)
      .findOneOrFail({ where: { id: accountId }, lock: { mode: 'pessimistic_write' } });
  }

  async findByName(name: string): Promise<Account | null> {
    return this.dataSource.getRepository(AccountEntity).findOneBy({ name });
  }

  async insertAccount(account: Pick<Account, 'id' | 'name'>): Promise<void> {
    await this.dataSource
      .getRepository(AccountEntity)
      .createQueryBuilder()
      .insert()
      .values(account)
      .orIgnore()
      .execute();
  }

  async insertToken(token: { id: string; accountId: string; tokenHash: string }): Promise<void> {
    await this.dataSource.getRepository(AuthTokenEntity).insert(token);
  }

  async listTokens(): Promise<AuthTokenSummary[]> {
    const tokens = await this.dataSource
      .getRepository(AuthTokenEntity)
      .find({ relations: { account: true }, order: { createdAt: 'ASC', id: 'ASC' } });
    return tokens.map(({ id, accountId, account, createdAt, revokedAt }) => ({
      id,
      accountId,
      accountName: account.name,
      createdAt,
      revokedAt,
    }));
  }

  /** @returns whether there was such a token, not revoked before */
  async revokeToken(tokenId: string): Promise<boolean> {
    const result = await this.dataSource
      .getRepository(AuthTokenEntity)
      .update({ id: tokenId, revokedAt: IsNull() }, { revokedAt: new Date() });
    return result.affected === 1;
  }
}
