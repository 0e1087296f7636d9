import { isIP } from 'node:net';
import { WebhookError } from './webhook-error';

const MAX_URL_LENGTH = 2_048;
const TLS_PORTS: ReadonlySet<string> = new Set(['', '443', '8443']);
/** Names that resolve inside networks only. */
const LOCAL_SUFFIXES = ['localhost', 'local', 'internal', 'intranet', 'lan', 'home', 'corp', 'home.arpa', 'onion'];

/**
 * Reads the URL of a webhook, as far as can be said without resolving its host.
 *
 * @param allowInsecure the local world: http, loopback and any port
 * @throws {WebhookError} FORBIDDEN_TARGET, saying why
 */
export function parseWebhookUrl(text: string, { allowInsecure }: { allowInsecure: boolean }): URL {
  if (text.length > MAX_URL_LENGTH) throw forbidden(`is longer than ${MAX_URL_LENGTH} characters`);
  if (!URL.canParse(text)) throw forbidden('is not a URL');
  const url = new URL(text);
  if (url.username || url.password) throw forbidden('holds credentials');
  if (url.protocol !== 'https:' && !(allowInsecure && url.protocol === 'http:')) throw forbidden('is not https');
  if (allowInsecure) return url;
  if (!TLS_PORTS.has(url.port)) throw forbidden(`names port ${url.port}; 443 and 8443 are allowed`);
  const host = url.hostname.toLowerCase().replace(/\.$/, '');
  // The URL parser has made every numeric notation of an IPv4 address a dotted one by now.
  if (host.startsWith('[') || isIP(host) !== 0) throw forbidden('names an IP address instead of a host');
  if (!host.includes('.')) throw forbidden('names a host without a domain');
  if (LOCAL_SUFFIXES.some((suffix) => host.endsWith(`.${suffix}`))) throw forbidden('names a host of a local network');
  return url;
}

function forbidden(why: string): WebhookError {
  return new WebhookError('FORBIDDEN_TARGET', `the webhook's URL ${why}`);
}
