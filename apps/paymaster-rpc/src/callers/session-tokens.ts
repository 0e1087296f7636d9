import { createPublicKey, type KeyObject } from 'node:crypto';
import { InvalidApiKeyError, type Address, type PolicySnapshot, type SessionKey } from '@paymaster/domain';
import { userAsClient } from '@paymaster/nest-kit';
import { errors, jwtVerify, type JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import { USER_NAME, USER_NAME_RULE, type ClientNames } from './client-names';

/** Carries a session token. */
export const SESSION_HEADER = 'x-session-token';

/** How long a token may be good; seconds. */
const MAX_LIFE_SECONDS = 86_400;
/** How far the clocks of the app and the gateway may differ; seconds. */
const CLOCK_TOLERANCE_SECONDS = 10;
const MAX_TOKEN_LENGTH = 2_048;
const MAX_REMEMBERED = 10_000;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** A session token is not accepted. Its request is refused, and never answered as a request without a token. */
export class SessionTokenError extends InvalidApiKeyError {
  constructor(
    override readonly reason: 'SESSION_TOKEN_REQUIRED' | 'SESSION_TOKEN_INVALID' | 'SESSION_TOKEN_EXPIRED',
    message: string,
  ) {
    super(message);
  }
}

/** A user of an app, as the app's back end signed it. */
export interface Session {
  /** Names the user in budgets: a keyed hash of paymaster and user. */
  readonly user: string;
  /**
   * Names the user in budgets that several paymasters of an account share: a keyed hash of the user alone, because a
   * token is for one paymaster. Each such budget is of one account.
   */
  readonly sharedUser: string;
  /** The only account for which the token is valid; undefined for all accounts of the user. */
  readonly sender: Address | undefined;
}

interface Remembered extends Session {
  readonly key: SessionKey;
  readonly expiresAtMs: number;
}

/** Checks session tokens: short-lived JWTs that an app's back end signs with a key that the paymaster registered. */
export class SessionTokens {
  private readonly remembered = new LRUCache<string, Remembered>({ max: MAX_REMEMBERED });
  private readonly publicKeys = new LRUCache<string, KeyObject>({ max: MAX_REMEMBERED });

  constructor(
    private readonly names: ClientNames,
    private readonly nowMs: () => number = () => Date.now(),
  ) {}

  /** @throws {SessionTokenError} SESSION_TOKEN_INVALID, SESSION_TOKEN_EXPIRED */
  async verify(
    token: string | string[],
    { paymasterId, sessionKeys }: Pick<PolicySnapshot, 'paymasterId' | 'sessionKeys'>,
  ): Promise<Session> {
    if (typeof token !== 'string' || token.length > MAX_TOKEN_LENGTH) throw invalid('it is too long');
    const place = `${paymasterId} ${token}`;
    const known = this.remembered.get(place);
    if (known && isRegistered(known.key, sessionKeys)) {
      if (known.expiresAtMs <= this.nowMs()) throw sessionExpired();
      return known;
    }
    const session = await this.check(token, { paymasterId, sessionKeys });
    this.remembered.set(place, session);
    return session;
  }

  private async check(
    token: string,
    { paymasterId, sessionKeys }: Pick<PolicySnapshot, 'paymasterId' | 'sessionKeys'>,
  ): Promise<Remembered> {
    let key: SessionKey | undefined;
    const keyOf = ({ kid, alg }: { kid?: string; alg?: string }): KeyObject => {
      key = sessionKeys.find(({ keyId }) => keyId === kid);
      if (!key) throw invalid('its kid is none of the registered session keys');
      if (key.algorithm !== alg) throw invalid(`its alg must be ${key.algorithm}, the algorithm of its key`);
      return this.publicKey(key);
    };
    const now = this.nowMs();
    const payload = await jwtVerify(token, keyOf, {
      algorithms: ['EdDSA', 'ES256'],
      audience: paymasterId,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(now),
      maxTokenAge: MAX_LIFE_SECONDS,
      requiredClaims: ['aud', 'sub', 'iat', 'exp'],
    }).then((verified) => verified.payload, refuse);
    const { sub = '', exp = 0, sender } = soundClaims(payload);
    if (!key) throw invalid('it has no key');
    const nameOf = (user: string): string => `user_${this.names.of(userAsClient(user)).network}`;
    return {
      user: nameOf(`${paymasterId} session ${sub}`),
      sharedUser: nameOf(`any session ${sub}`),
      sender: sender?.toLowerCase() as Address | undefined,
      key,
      expiresAtMs: (exp + CLOCK_TOLERANCE_SECONDS) * 1_000,
    };
  }

  private publicKey({ spki }: SessionKey): KeyObject {
    const known = this.publicKeys.get(spki);
    if (known) return known;
    const made = createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' });
    this.publicKeys.set(spki, made);
    return made;
  }
}

/** Whether a key is still that of the paymaster: its owner may have deleted it since the token was checked. */
function isRegistered({ keyId, spki }: SessionKey, keys: readonly SessionKey[]): boolean {
  return keys.some((key) => key.keyId === keyId && key.spki === spki);
}

/** Checks claims of which the library checks only the type. @throws {SessionTokenError} */
function soundClaims(payload: JWTPayload): { sub: string; exp: number; sender?: string } {
  const { sub, iat, exp, aud } = payload;
  const { sender } = payload as { sender?: unknown };
  if (typeof sub !== 'string' || !USER_NAME.test(sub)) throw invalid(`sub must be ${USER_NAME_RULE}`);
  if (typeof aud !== 'string') throw invalid('aud must be the id of one paymaster');
  if (!Number.isSafeInteger(iat) || !Number.isSafeInteger(exp)) throw invalid('iat and exp must be whole seconds');
  const life = Number(exp) - Number(iat);
  if (life <= 0 || life > MAX_LIFE_SECONDS) throw invalid('exp must be after iat, by 24 hours at most');
  if (sender === undefined) return { sub, exp: Number(exp) };
  if (typeof sender !== 'string' || !ADDRESS.test(sender)) throw invalid('sender must be an address');
  return { sub, exp: Number(exp), sender };
}

function refuse(error: unknown): never {
  if (error instanceof SessionTokenError) throw error;
  if (error instanceof errors.JWTExpired) throw sessionExpired();
  if (error instanceof errors.JWTClaimValidationFailed) throw invalid(`its claim ${error.claim} is wrong or missing`);
  throw invalid('it is no JWT that the registered key signed');
}

function invalid(why: string): SessionTokenError {
  return new SessionTokenError('SESSION_TOKEN_INVALID', `The session token is not taken: ${why}.`);
}

/** The token has expired. */
export function sessionExpired(): SessionTokenError {
  return new SessionTokenError('SESSION_TOKEN_EXPIRED', 'The session token has expired; ask the app for a new one.');
}

/** @throws {SessionTokenError} when the session is for another account */
export function assertSessionFor(session: Session, sender: Address): void {
  if (session.sender === undefined || session.sender === sender.toLowerCase()) return;
  throw invalid('it is for another account than the sender of the operation');
}

/** The key needs a session token, and the request has no token. */
export function sessionMissing(): SessionTokenError {
  return new SessionTokenError(
    'SESSION_TOKEN_REQUIRED',
    `This API key needs a session token of the app in the header ${SESSION_HEADER}.`,
  );
}
