/** What an API key looks like: 9 characters, a dot, a UUID. */
const API_KEY = /[A-Za-z0-9_-]{9}\.[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}/;

/** What an authToken looks like, whole or in part. */
const AUTH_TOKEN = /pm_auth_[A-Za-z0-9_-]+/;

/** Whatever stands where a key belongs in a gateway path, well-formed or not. */
const KEY_SEGMENT = /^(\/+api\/+v\d+\/+(?!public\/)[^/]+\/+)[^/]+/;
const REDACTED = '[redacted]';

/** Ids that we have made ourselves, chain ids and versions. */
const HARMLESS = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{1,20}|v\d)?$/;
/** More than any of our paths has. */
const MOST_SEGMENTS = 16;

/**
 * A request's path as it may be logged: no query, no key, no token, and of a segment that we do not know its length only.
 * A client that has put its pieces together wrongly may have put anything there.
 *
 * @param known the words of the paths that there are
 */
export function redactUrl(url: string, known: ReadonlySet<string>): string {
  const path = (url.split('?', 1)[0] ?? '').replace(KEY_SEGMENT, `$1${REDACTED}`);
  const segments = path.split('/', MOST_SEGMENTS + 1).map((segment) => {
    if (segment === REDACTED || HARMLESS.test(segment) || known.has(segment)) return segment;
    return API_KEY.test(segment) || AUTH_TOKEN.test(segment) ? REDACTED : `[${segment.length} characters]`;
  });
  return segments.length > MOST_SEGMENTS ? [...segments.slice(0, MOST_SEGMENTS), '...'].join('/') : segments.join('/');
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
