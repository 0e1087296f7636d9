import { createHash, randomBytes } from 'node:crypto';

const CHECKSUM_LENGTH = 6;
const AFTER_PREFIX = /^([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{6})$/;

/** One kind of secret that is handed out as text and stored as its hash: auth tokens, sessions, codes. */
export class SecretText {
  /** @param prefix tells the kind; scanners of leaked secrets find it */
  constructor(private readonly prefix: `pm_${string}_`) {}

  /** A new one: the prefix, 256 random bits, a checksum that tells a typo from a guess. */
  generate(): string {
    const secret = randomBytes(32).toString('base64url');
    return `${this.prefix}${secret}${this.checksum(secret)}`;
  }

  /** Whether a text can be of this kind at all. A text that cannot never costs a database query. */
  isShaped(text: string): boolean {
    if (!text.startsWith(this.prefix)) return false;
    const [, secret, sum] = AFTER_PREFIX.exec(text.slice(this.prefix.length)) ?? [];
    return secret !== undefined && this.checksum(secret) === sum;
  }

  private checksum(secret: string): string {
    return createHash('sha256').update(`${this.prefix}${secret}`).digest('base64url').slice(0, CHECKSUM_LENGTH);
  }
}

export const AUTH_TOKEN = new SecretText('pm_auth_');
/** The value of the cookie that proves a session. */
export const SESSION_TOKEN = new SecretText('pm_session_');
/** Signs a person in once; made on the command line, or mailed. */
export const SIGN_IN_CODE = new SecretText('pm_code_');
/** Makes a person a member of an account once. */
export const INVITATION_CODE = new SecretText('pm_invite_');
/** Confirms a mail address once. */
export const MAIL_CODE = new SecretText('pm_mail_');
/** The value of the cookie of a browser that asked for a link by mail. */
export const ASKING_BROWSER = new SecretText('pm_asked_');

/** What is stored of a secret, in 64 hex digits. With 256 random bits in it, a plain hash cannot be reversed by guessing. */
export function hashSecret(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
