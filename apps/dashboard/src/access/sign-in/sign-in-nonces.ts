import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DashboardConfig } from '../../platform/config/dashboard.config';

/**
 * How long a nonce can be signed; ERC-4361 leaves it to the server. Seconds. `me.view.ts`, `passkey.view.ts` and
 * `passkeys.service.ts` say it in words. A message that the page writes ends earlier (`sign-in-text.ts` of
 * dashboard-web).
 */
const VALID_SECONDS = 600;
const LABEL = 'paymaster/dashboard/sign-in-nonces/v1';
/** The end in seconds, 16 random bytes, and the seal of both. */
const NONCE = /^([0-9a-f]{10})[0-9a-f]{32}([0-9a-f]{32})$/;
const SEAL_DIGITS = 32;

/**
 * Nonces for Sign-In with Ethereum, and challenges for passkeys. A nonce contains the time when it ends and a seal, which
 * is an HMAC. So every process can check what another process has issued. The database gets a nonce only when it is used,
 * so strangers who ask for nonces fill no table.
 */
@Injectable()
export class SignInNonces {
  private readonly key: Buffer;

  constructor(@Inject(DashboardConfig) { apiKeyIndexKey }: Pick<DashboardConfig, 'apiKeyIndexKey'>) {
    const secret = Buffer.from(apiKeyIndexKey.replace(/^0x/, ''), 'hex');
    this.key = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), LABEL, 32));
  }

  /** @param purpose a nonce that was issued for one purpose is refused for any other */
  issue(nowMs = Date.now(), purpose = ''): string {
    const endsAt = Math.floor(nowMs / 1_000) + VALID_SECONDS;
    const open = `${endsAt.toString(16).padStart(10, '0')}${randomBytes(16).toString('hex')}`;
    return `${open}${this.sealOf(open, purpose)}`;
  }

  /** Whether the nonce is one of ours, for this purpose, and not too old; {@link use} says whether it was used. */
  isCurrent(nonce: string, nowMs = Date.now(), purpose = ''): boolean {
    const [, endsAt = '', seal = ''] = NONCE.exec(nonce) ?? [];
    if (!seal) return false;
    const wanted = this.sealOf(nonce.slice(0, -SEAL_DIGITS), purpose);
    const isOurs = timingSafeEqual(Buffer.from(seal), Buffer.from(wanted));
    return isOurs && Number.parseInt(endsAt, 16) * 1_000 > nowMs;
  }

  /** Uses the nonce up, in the transaction of the sign-in. @returns false when it was used before */
  async use(manager: EntityManager, nonce: string): Promise<boolean> {
    const rows = (await manager.query(
      `INSERT INTO dashboard.used_nonces (nonce, expires_at) VALUES ($1, now() + $2 * interval '1 second')
       ON CONFLICT DO NOTHING RETURNING nonce`,
      [nonce, VALID_SECONDS],
    )) as unknown[];
    return rows.length > 0;
  }

  private sealOf(open: string, purpose: string): string {
    return createHmac('sha256', this.key)
      .update(open + purpose)
      .digest('hex')
      .slice(0, SEAL_DIGITS);
  }
}
