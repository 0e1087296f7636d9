import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Account } from '../accounts/account';
import { AccountsRepository } from '../accounts/accounts.repository';
import { toLoggedAuthToken } from '../accounts/auth-token.entity.db';
import type { Actor } from '../../platform/audit/actor';
import { AuditLogRepository } from '../../platform/audit/audit-log.repository';
import { AUTH_TOKEN, hashSecret } from '../../platform/crypto/secret-text';
import { AuthTokenNotFoundError, InvalidBodyError, LimitReachedError } from '../../platform/http/dashboard-errors';
import { OwnersLock } from '../members/owners-lock';
import { assertMayGiveNeeds, needsMetByToken } from '../people/role';
import { PaymastersRepository } from '../paymasters/paymasters.repository';
import type { CreateAuthTokenDto } from './auth-token.dto';
import { toAuthTokenView, type AuthTokenView, type CreatedAuthTokenView } from './auth-token.view';

/** Auth tokens of one account that were not revoked. */
const MAX_TOKENS = 100;

/** The auth tokens with which programs act for an account. */
@Injectable()
export class AuthTokensService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly lock: OwnersLock,
    private readonly paymasters: PaymastersRepository,
    private readonly auditLog: AuditLogRepository,
  ) {}

  /** All that were not revoked, expired ones too, oldest first. */
  async list(account: Account): Promise<AuthTokenView[]> {
    return (await this.accounts.listTokensOf(account.id)).map(toAuthTokenView);
  }

  /** @returns with the token's text, which is shown this once @throws {InvalidBodyError} {@link LimitReachedError} {@link NotAllowedError} */
  async create(actor: Actor, request: CreateAuthTokenDto): Promise<CreatedAuthTokenView> {
    const { accountId, personId = null } = actor;
    const authToken = AUTH_TOKEN.generate();
    const token = {
      ...{ id: randomUUID(), accountId, tokenHash: hashSecret(authToken), name: request.name, scope: request.scope },
      ...{ paymasterId: await this.paymasterIdOf(accountId, request), expiresAt: endOf(request), createdBy: personId },
    };
    return this.dataSource.transaction(async (manager) => {
      const { actor: giver } = await this.lock.take(manager, actor);
      assertMayGiveNeeds(giver, needsMetByToken(request.scope));
      if ((await this.accounts.listTokensOf(accountId, manager)).length >= MAX_TOKENS) {
        throw new LimitReachedError(`An account can have at most ${MAX_TOKENS} auth tokens`);
      }
      const stored = await this.accounts.insertToken(token, manager);
      const change = { subjectId: token.id, before: null, after: toLoggedAuthToken(token) };
      await this.auditLog.appendOfAccount(manager, actor, { subject: 'authToken', ...change });
      return { ...toAuthTokenView(stored), authToken };
    });
  }

  /** The token stops working at once. @throws {AuthTokenNotFoundError} */
  async revoke(actor: Actor, tokenId: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const token = await this.accounts.revokeToken(tokenId, actor.accountId, manager);
      if (!token) throw new AuthTokenNotFoundError();
      const change = { subjectId: token.id, before: toLoggedAuthToken(token), after: null };
      await this.auditLog.appendOfAccount(manager, actor, { subject: 'authToken', ...change });
    });
  }

  private async paymasterIdOf(accountId: string, { paymasterId }: CreateAuthTokenDto): Promise<string | null> {
    if (paymasterId === undefined || paymasterId === null) return null;
    const paymaster = await this.paymasters.findById(accountId, paymasterId);
    if (!paymaster) throw new InvalidBodyError('paymasterId must be that of a paymaster of this account');
    return paymaster.id;
  }
}

/** @throws {InvalidBodyError} when the time is over, or none */
function endOf({ expiresAt }: CreateAuthTokenDto): Date | null {
  if (expiresAt === undefined || expiresAt === null) return null;
  const end = new Date(expiresAt);
  if (end.getTime() > Date.now()) return end;
  throw new InvalidBodyError('expiresAt must be a time to come');
}
