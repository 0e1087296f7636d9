/** What an API key looks like anywhere in a text: 9 characters, a dot, a UUID. */
const API_KEY = /[A-Za-z0-9_-]{9}\.[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}/g;

/** What an authToken looks like, whole or in part. */
const AUTH_TOKEN = /pm_auth_[A-Za-z0-9_-]+/g;

/** Whatever stands where a key belongs in a gateway path, well-formed or not. */
const KEY_SEGMENT = /^(\/+api\/+v\d+\/+(?!public\/)[^/]+\/+)[^/]+/;

/** A request's path as it may be logged: no query, no key, no token. */
export function redactUrl(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  return path.replace(KEY_SEGMENT, '$1[redacted]').replace(API_KEY, '[redacted]').replace(AUTH_TOKEN, '[redacted]');
}

/** Paths of the log record that hold a secret; pino replaces their values. */
export const REDACTED_PATHS: readonly string[] = [
  'req.headers',
  '*.authToken',
  '*.apiKey',
  '*.privateKey',
  '*.passphrase',
  '*.password',
  'authToken',
  'apiKey',
  'privateKey',
  'passphrase',
  'password',
];
