import { REQUEST_ID_HEADER } from '@paymaster/messaging';
import { isOriginAllowed } from '../../callers/allowed-origins';

/** Says `when-sent` where sponsorships of EntryPoint v0.9 are signed by `eth_sendUserOperation` of the same address. */
export const SIGNS_HEADER = 'paymaster-signs';
const EXPOSED = `${REQUEST_ID_HEADER}, retry-after, ${SIGNS_HEADER}`;

/** Headers that let a web page of an allowed origin read the answer; no headers for a request without an origin. */
export function corsHeaders(origin: string | undefined, allowedOrigins: readonly string[]): Record<string, string> {
  if (origin === undefined) return {};
  if (!isOriginAllowed(origin, allowedOrigins)) return { vary: 'Origin' };
  if (allowedOrigins.includes('*')) {
    return { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED };
  }
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'Origin' };
}

const ASKED_HEADERS = 'Access-Control-Request-Headers';
const OWN_HEADERS = ['content-type', 'accept', 'x-api-key', 'authorization', 'x-session-token', REQUEST_ID_HEADER];
/** Pages with tracing ask for a few more headers (`traceparent`, `sentry-trace`, `baggage`). */
const MAX_ASKED_HEADERS = 32;
const MAX_ASKED_LENGTH = 1_024;
/** A header's name (RFC 9110, token). The names in a browser's list are not longer. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,64}$/;

/**
 * The answer to a browser's preflight. The page may send any header: the gateway reads only its own headers, and a page
 * whose tracing adds other headers could not send requests otherwise.
 *
 * @param asked what `Access-Control-Request-Headers` says; what is not a list of names of headers is left out
 */
export function preflightHeaders(
  origin: string | undefined,
  allowedOrigins: readonly string[],
  asked = '',
): Record<string, string> {
  const headers = corsHeaders(origin, allowedOrigins);
  if (!headers['access-control-allow-origin']) return headers;
  return {
    ...headers,
    'access-control-allow-methods': 'POST, OPTIONS',
    'access-control-allow-headers': [...new Set([...OWN_HEADERS, ...namesIn(asked)])].join(', '),
    'access-control-max-age': '600',
    vary: headers['vary'] ? `${headers['vary']}, ${ASKED_HEADERS}` : ASKED_HEADERS,
  };
}

/** All names of the list; no names if the text is no list of names, or a longer list than browsers send. */
function namesIn(asked: string): readonly string[] {
  if (asked === '' || asked.length > MAX_ASKED_LENGTH) return [];
  const names = asked
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  return names.length <= MAX_ASKED_HEADERS && names.every((name) => HEADER_NAME.test(name)) ? names : [];
}
