import { SESSION_SECONDS } from '../people/sessions';

/** Browsers take a cookie of this name over https (and on their own machine) only, and from no other host. */
const NAME = '__Host-paymaster-session';
const ASKING_NAME = '__Host-paymaster-mail-link';
const TERMS = 'Path=/; Secure; HttpOnly; SameSite=Lax';

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
  return valueOf(NAME, cookies);
}

/** The header `Set-Cookie` by which a browser that asked for a link by mail is known again. */
export function askingCookie(secret: string, seconds: number): string {
  return `${ASKING_NAME}=${secret}; Max-Age=${seconds}; ${TERMS}`;
}

/** What {@link askingCookie} set; empty when there is none. */
export function askingSecretOf(cookies: string): string {
  return valueOf(ASKING_NAME, cookies);
}

function valueOf(name: string, cookies: string): string {
  const found = [...cookies.matchAll(new RegExp(`(?:^|;) *${name}=([^;]*)`, 'g'))];
  return found.length === 1 ? (found[0]?.[1]?.trim() ?? '') : '';
}
