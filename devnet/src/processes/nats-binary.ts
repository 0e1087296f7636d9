import { installedBinary } from './installed-binary';
import type { LogLine } from './process-registry';

const ADVICE =
  'nats-server was not found: install it (Debian/Ubuntu: apt-get install nats-server, macOS: brew install nats-server), ' +
  'name it with NATS_SERVER_BIN, or set NATS_URL to a running one.';

/** Path of nats-server, installed where it is missing. @throws one sentence that says what to do */
export function natsServerBinary(log?: LogLine): Promise<string> {
  const name = 'nats-server';
  return installedBinary({ name, variable: 'NATS_SERVER_BIN', package: name, formula: name, advice: ADVICE }, log);
}
