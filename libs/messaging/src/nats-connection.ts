import type { NatsOptions } from '@nestjs/microservices';

/** The form of `NATS_URL`: servers without user information, which nats.js would silently drop. */
export const NATS_URL_PATTERN = /^(nats|tls):\/\/[^\s,@]+(\s*,\s*(nats|tls):\/\/[^\s,@]+)*$/;

export const NATS_URL_RULE =
  'must be nats://host:port or tls://host:port, several separated by commas, without a user or password in it: ' +
  'those are NATS_USER and NATS_PASSWORD';

/** The settings of the connection; an app's configuration class has these properties. */
export interface NatsSettings {
  readonly natsUrl: string;
  readonly natsUser?: string;
  readonly natsPassword?: string;
  /** A PEM file with the authority of the servers' certificates. */
  readonly natsCaFile?: string;
}

/**
 * The options with which every process connects to NATS, as client or as responder: with its credentials, and over TLS
 * where a server is named `tls://` or a CA is given (then never in the clear). The process never stops trying, so that
 * it recovers from an outage or from a wrong password on the server.
 *
 * @param name of the process in the server's connection list
 * @throws {Error} when the URL is not {@link NATS_URL_PATTERN}; its message does not contain the URL
 */
export function natsConnectionOptions(settings: NatsSettings, name: string): Required<NatsOptions>['options'] {
  const { natsUrl, natsUser, natsPassword, natsCaFile } = settings;
  if (!NATS_URL_PATTERN.test(natsUrl)) throw new Error(`NATS_URL ${NATS_URL_RULE}.`);
  const servers = natsUrl.split(',').map((server) => server.trim());
  const encrypted = natsCaFile !== undefined || servers.some((server) => server.startsWith('tls://'));
  return {
    servers,
    name,
    ...(natsUser !== undefined && { user: natsUser, pass: natsPassword }),
    ...(encrypted && { tls: natsCaFile === undefined ? {} : { caFile: natsCaFile } }),
    ignoreAuthErrorAbort: true,
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    timeout: 2_000,
  };
}
