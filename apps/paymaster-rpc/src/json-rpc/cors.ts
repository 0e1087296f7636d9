import { REQUEST_ID_HEADER } from '@paymaster/messaging';
import { isOriginAllowed } from '../callers/allowed-origins';

const EXPOSED = `${REQUEST_ID_HEADER}, retry-after`;

/** Headers that let the page of an allowed origin read the answer; none for requests that come from no page. */
export function corsHeaders(origin: string | undefined, allowedOrigins: readonly string[]): Record<string, string> {
  if (origin === undefined) return {};
  if (!isOriginAllowed(origin, allowedOrigins)) return { vary: 'Origin' };
  if (allowedOrigins.includes('*')) {
    return { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED };
  }
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'Origin' };
}

/** The answer to a browser that asks first whether it may POST. */
export function preflightHeaders(
  origin: string | undefined,
  allowedOrigins: readonly string[],
): Record<string, string> {
  const headers = corsHeaders(origin, allowedOrigins);
  if (!headers['access-control-allow-origin']) return headers;
  return {
    ...headers,
    'access-control-allow-methods': 'POST, OPTIONS',
    'access-control-allow-headers': `content-type, accept, x-api-key, authorization, x-session-token, ${REQUEST_ID_HEADER}`,
    'access-control-max-age': '600',
  };
}
