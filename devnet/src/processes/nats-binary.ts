import { setTimeout as sleep } from 'node:timers/promises';
import { findOnPath, namedBinary } from './find-binary';
import type { LogLine } from './process-registry';
import { aptGet, succeeds } from './system-packages';

const ADVICE =
  'nats-server was not found: install it (Debian/Ubuntu: apt-get install nats-server, macOS: brew install nats-server), ' +
  'name it with NATS_SERVER_BIN, or set NATS_URL to a running one.';

const TRIES = 3;
const TRY_AGAIN_AFTER_MS = 10_000;

/**
 * Path of nats-server: NATS_SERVER_BIN, else PATH, else installed with the system's package manager, which is asked
 * only where it needs no password.
 *
 * @throws one sentence that says what to do
 */
export async function natsServerBinary(log: LogLine = () => undefined): Promise<string> {
  const found = namedBinary('NATS_SERVER_BIN') ?? findOnPath('nats-server');
  if (found) return found;

  const commands = installCommands();
  for (let tried = 1; commands.length > 0 && tried <= TRIES; tried++) {
    if (tried > 1) await sleep(TRY_AGAIN_AFTER_MS);
    for (const command of commands) {
      log(`nats-server is missing, running: ${command.join(' ')}`);
      // Lists may be there that were read before: whether the last command put it in place is what counts.
      await succeeds(command, log);
    }
    const installed = findOnPath('nats-server');
    if (installed) return installed;
  }
  throw new Error(ADVICE);
}

/** The commands to run in order, again when a mirror could not be reached; none when no package manager can be used without asking. */
function installCommands(): string[][] {
  const apt = aptGet();
  if (apt) {
    return [
      [...apt, 'update'],
      [...apt, 'install', '-y', '--no-install-recommends', 'nats-server'],
    ];
  }
  const brew = findOnPath('brew');
  return brew ? [[brew, 'install', '--quiet', 'nats-server']] : [];
}
