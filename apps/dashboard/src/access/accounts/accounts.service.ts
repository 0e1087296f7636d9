import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditLogRepository } from '../../platform/audit/audit-log.repository';
import { AUTH_TOKEN, hashSecret } from '../../platform/crypto/secret-text';
import type { Account, AuthenticatedAccount } from './account';
import { parseAccountName } from './account-name';
import { AccountsRepository, type AuthTokenSummary, type NewAuthToken } from './accounts.repository';
import { toLoggedAuthToken } from './auth-token.entity.db';

export interface IssuedToken {
  readonly accountId: string;
  readonly accountName: string;
  readonly tokenId: string;
  /** Shown once, here; only its hash is kept. */
  readonly authToken: string;
}

/** Accounts and tokens as the operator's command makes them, in the audit log too; and the proof of auth tokens. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly auditLog: AuditLogRepository,
  ) {}

  /** The account that a token stands for, or null: unknown, expired and revoked look alike. */
  async authenticate(authToken: string): Promise<AuthenticatedAccount | null> {
    if (!AUTH_TOKEN.isShaped(authToken)) return null;
    return this.accounts.findByTokenHash(hashSecret(authToken));
  }

  /** A new account. @throws saying what is wrong with the name, or which account has it already */
  async create(requestedName: string): Promise<Account> {
    const name = parseAccountName(requestedName);
    const made = await this.accounts.insertIfMissing({ id: randomUUID(), name });
    if (made) return made;
    const { id, createdAt } = await this.ofName(name);
    throw new Error(
      `The name ${name} is taken by the account ${id}, made ${createdAt.toISOString()}. ` +
        `Choose another name, or name that account by --account-id if you mean it.${await this.warningOf(id)}`,
    );
  }

  /**
   * The account of that name, which is made when there is none.
   *
   * @throws saying what is wrong with the name; also when a person chose it, because anybody can choose the name that
   *   the operator is going to type
   */
  async findOrCreate(requestedName: string): Promise<Account> {
    const name = parseAccountName(requestedName);
    const made = await this.accounts.insertIfMissing({ id: randomUUID(), name });
    if (made) return made;
    const account = await this.ofName(name);
    const warning = await this.warningOf(account.id);
    if (!warning) return account;
    throw new Error(
      `The account ${account.id} has the name ${name}. Name it by --account-id if you mean it.${warning}`,
    );
  }

  /** @throws when there is no such account */
  async find(accountId: string): Promise<Account> {
    const account = await this.accounts.find(accountId);
    if (!account) throw new Error(`There is no account ${accountId}.`);
    return account;
  }

  /** A new token that may write. */
  async issueToken({ id: accountId, name: accountName }: Account): Promise<IssuedToken> {
    const authToken = AUTH_TOKEN.generate();
    const id = randomUUID();
    const token: NewAuthToken = {
      ...{ id, accountId, tokenHash: hashSecret(authToken), name: `auth token ${id.slice(0, 8)}` },
      ...{ scope: 'write', paymasterId: null, expiresAt: null, createdBy: null },
    };
    await this.dataSource.transaction(async (manager) => {
      await this.accounts.insertToken(token, manager);
      await this.record(manager, token, { before: null, after: toLoggedAuthToken(token) });
    });
    return { accountId, accountName, tokenId: id, authToken };
  }

  listTokens(): Promise<AuthTokenSummary[]> {
    return this.accounts.listTokens();
  }

  /** @returns false when there is no such token, or it was revoked before */
  async revokeToken(tokenId: string): Promise<boolean> {
    return this.dataSource.transaction(async (manager) => {
      const token = await this.accounts.revokeToken(tokenId, undefined, manager);
      if (token) await this.record(manager, token, { before: toLoggedAuthToken(token), after: null });
      return token !== null;
    });
  }

  private async record(
    manager: EntityManager,
    { id: subjectId, accountId }: Pick<NewAuthToken, 'id' | 'accountId'>,
    change: { readonly before: object | null; readonly after: object | null },
  ): Promise<void> {
    await this.auditLog.appendOfAccount(manager, { accountId }, { subject: 'authToken', subjectId, ...change });
  }

  private async ofName(name: string): Promise<Account> {
    const account = await this.accounts.findByName(name);
    if (!account) throw new Error(`The account ${name} was renamed at this moment: try again.`);
    return account;
  }

  private async warningOf(accountId: string): Promise<string> {
    const isTheirs = await this.accounts.wasNamedByPerson(accountId);
    return isTheirs ? ' A person chose this name on the page: the account may be a stranger’s.' : '';
  }
}
