import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'pm_auth_';
const CHECKSUM_LENGTH = 6;
const AUTH_TOKEN = /^pm_auth_([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{6})$/;

/** A new auth token: a prefix that scanners find, 256 random bits, a checksum that tells a typo from a guess. */
export function generateAuthToken(): string {
  const secret = randomBytes(32).toString('base64url');
  return `${PREFIX}${secret}${checksum(secret)}`;
}

/** Whether a text can be a token at all. One that cannot never costs a database query. */
export function isAuthTokenShaped(text: string): boolean {
  const [, secret, sum] = AUTH_TOKEN.exec(text) ?? [];
  return secret !== undefined && checksum(secret) === sum;
}

/** What is stored of a token. With 256 random bits in it, a plain hash cannot be reversed by guessing. */
export function hashAuthToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}

function checksum(secret: string): string {
  return createHash('sha256').update(`${PREFIX}${secret}`).digest('base64url').slice(0, CHECKSUM_LENGTH);
}
