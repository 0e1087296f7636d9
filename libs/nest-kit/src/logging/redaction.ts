/** The form of an API key: 9 characters, a dot, a UUID. */
const API_KEY = /[A-Za-z0-9._-]{9}\.[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}/;

/** The form of an authToken, a session's text or a code, whole or in part. */
const CREDENTIAL = /pm_(auth|session|code|invite)_[A-Za-z0-9_-]+/;

/** The segment of a gateway path where a key belongs, well-formed or not. */
const KEY_SEGMENT = /^(\/+api\/+v\d+\/+(?!public\/)[^/]+\/+)[^/]+/;
const REDACTED = '[redacted]';

/** Ids that we made ourselves, chain ids and versions. */
const HARMLESS = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{1,20}|v\d)?$/;
/** More segments than any of our paths has. */
const MOST_SEGMENTS = 16;

/**
 * A request's path for the log: without query, key or token, and with only the length of an unknown segment. A client
 * that builds its path wrongly may have put anything there.
 *
 * @param known the words of all our paths
 */
export function redactUrl(url: string, known: ReadonlySet<string>): string {
  const path = (url.split('?', 1)[0] ?? '').replace(KEY_SEGMENT, `$1${REDACTED}`);
  const segments = path.split('/', MOST_SEGMENTS + 1).map((segment) => {
    if (segment === REDACTED || HARMLESS.test(segment) || known.has(segment)) return segment;
    return API_KEY.test(segment) || CREDENTIAL.test(segment) ? REDACTED : `[${segment.length} characters]`;
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
