import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { AuthenticatedAccount } from './account';
import { parseAccountName } from './account-name';
import { AccountsRepository, type AuthTokenSummary } from './accounts.repository';
import { generateAuthToken, hashAuthToken, isAuthTokenShaped } from './auth-token';

export interface IssuedToken {
  readonly accountId: string;
  readonly accountName: string;
  readonly tokenId: string;
  /** Shown once, here; only its hash is kept. */
  readonly authToken: string;
}

/** Accounts are made by the operator's command and proven by auth tokens. */
@Injectable()
export class AccountsService {
  constructor(@Inject(AccountsRepository) private readonly accounts: AccountsRepository) {}

  /** The account that a token stands for, or null: unknown and revoked look alike. */
  async authenticate(authToken: string): Promise<AuthenticatedAccount | null> {
    if (!isAuthTokenShaped(authToken)) return null;
    return this.accounts.findByTokenHash(hashAuthToken(authToken));
  }

  /** A new token for the account of that name, which is made when there is none. @throws saying what is wrong with the name */
  async createToken(requestedName: string): Promise<IssuedToken> {
    const name = parseAccountName(requestedName);
    await this.accounts.insertAccount({ id: randomUUID(), name });
    const account = await this.accounts.findByName(name);
    if (!account) throw new Error(`the account ${name} is gone`);
    const authToken = generateAuthToken();
    const tokenId = randomUUID();
    await this.accounts.insertToken({ id: tokenId, accountId: account.id, tokenHash: hashAuthToken(authToken) });
    return { accountId: account.id, accountName: account.name, tokenId, authToken };
  }

  listTokens(): Promise<AuthTokenSummary[]> {
    return this.accounts.listTokens();
  }

  /** @returns false when there is no such token, or it was revoked before */
  revokeToken(tokenId: string): Promise<boolean> {
    return this.accounts.revokeToken(tokenId);
  }
}
