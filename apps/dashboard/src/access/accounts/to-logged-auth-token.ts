import type { AuthTokenEntity } from './auth-token.entity.db';

/** What of a token the audit log has: never its text. */
export function toLoggedAuthToken({
  name,
  scope,
  paymasterId,
  expiresAt,
}: Pick<AuthTokenEntity, 'name' | 'scope' | 'paymasterId' | 'expiresAt'>) {
  return { name, scope, paymasterId, expiresAt: expiresAt?.toISOString() ?? null };
}
