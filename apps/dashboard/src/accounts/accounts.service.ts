import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { AUTH_TOKEN, hashSecret } from '../crypto/secret-text';
import type { Account, AuthenticatedAccount } from './account';
import { parseAccountName } from './account-name';
import { AccountsRepository, type AuthTokenSummary } from './accounts.repository';

export interface IssuedToken {
  readonly accountId: string;
  readonly accountName: string;
  readonly tokenId: string;
  /** Shown once, here; only its hash is kept. */
  readonly authToken: string;
}

/** Accounts as the operator's command makes them, and the proof of auth tokens. */
@Injectable()
export class AccountsService {
  constructor(@Inject(AccountsRepository) private readonly accounts: AccountsRepository) {}

  /** The account that a token stands for, or null: unknown, expired and revoked look alike. */
  async authenticate(authToken: string): Promise<AuthenticatedAccount | null> {
    if (!AUTH_TOKEN.isShaped(authToken)) return null;
    return this.accounts.findByTokenHash(hashSecret(authToken));
  }

  /** The account of that name, which is made when there is none. @throws saying what is wrong with the name */
  async findOrCreate(requestedName: string): Promise<Account> {
    const name = parseAccountName(requestedName);
    await this.accounts.insertIfMissing({ id: randomUUID(), name });
    const account = await this.accounts.findByName(name);
    if (!account) throw new Error(`the account ${name} is gone`);
    return account;
  }

  /** A new token that may write, for the account of that name. @throws saying what is wrong with the name */
  async createToken(accountName: string): Promise<IssuedToken> {
    const account = await this.findOrCreate(accountName);
    const authToken = AUTH_TOKEN.generate();
    const id = randomUUID();
    await this.accounts.insertToken({
      ...{ id, accountId: account.id, tokenHash: hashSecret(authToken), name: `auth token ${id.slice(0, 8)}` },
      ...{ scope: 'write', paymasterId: null, expiresAt: null, createdBy: null },
    });
    return { accountId: account.id, accountName: account.name, tokenId: id, authToken };
  }

  listTokens(): Promise<AuthTokenSummary[]> {
    return this.accounts.listTokens();
  }

  /** @returns false when there is no such token, or it was revoked before */
  async revokeToken(tokenId: string): Promise<boolean> {
    return (await this.accounts.revokeToken(tokenId)) !== null;
  }
}
