import { SESSION_SECONDS } from '../people/sessions';

/** Browsers take a cookie of this name over https (and on their own machine) only, and from no other host. */
const NAME = '__Host-paymaster-session';
const TERMS = 'Path=/; Secure; HttpOnly; SameSite=Lax';
const IN_HEADER = new RegExp(`(?:^|;) *${NAME}=([^;]*)`, 'g');

/** The header `Set-Cookie` that signs a browser in. */
export function sessionCookie(token: string): string {
  return `${NAME}=${token}; Max-Age=${SESSION_SECONDS}; ${TERMS}`;
}

/** The header `Set-Cookie` that takes the cookie away. */
export function endedSessionCookie(): string {
  return `${NAME}=; Max-Age=0; ${TERMS}`;
}

/** The session's text in a header `Cookie`; empty when there is none. Two of them are none: a browser sends one. */
export function sessionTokenOf(cookies: string): string {
  const found = [...cookies.matchAll(IN_HEADER)];
  return found.length === 1 ? (found[0]?.[1]?.trim() ?? '') : '';
}
