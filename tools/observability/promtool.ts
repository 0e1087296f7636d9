import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { aptGet, findOnPath, isExecutable, succeeds, type LogLine } from '@paymaster/devnet';

const ADVICE =
  'promtool was not found: install Prometheus (Debian/Ubuntu: apt-get install prometheus, macOS: brew install prometheus) ' +
  'or name it with PROMTOOL_BIN.';

/** Debian's package is unpacked here and not installed: it would start a Prometheus on this machine. */
const UNPACKED = join(__dirname, '../../node_modules/.cache/prometheus');
const TRIES = 3;
const TRY_AGAIN_AFTER_MS = 10_000;

/**
 * Path of promtool, which comes with Prometheus: PROMTOOL_BIN, else PATH, else out of Debian's package or installed
 * with brew.
 *
 * @throws one sentence that says what to do
 */
export async function promtoolBinary(log: LogLine = () => undefined): Promise<string> {
  const named = process.env['PROMTOOL_BIN'];
  if (named) {
    if (isExecutable(named)) return named;
    throw new Error(`PROMTOOL_BIN names ${named}, which is not an executable file.`);
  }
  const unpacked = join(UNPACKED, 'usr/bin/promtool');
  for (let tried = 0; tried <= TRIES; tried++) {
    const found = existsSync(unpacked) ? unpacked : findOnPath('promtool');
    if (found) return found;
    if (tried > 1) await sleep(TRY_AGAIN_AFTER_MS);
    await (findOnPath('dpkg') ? unpack(log) : install(log));
  }
  throw new Error(ADVICE);
}

async function unpack(log: LogLine): Promise<void> {
  const apt = aptGet();
  if (!apt) return;
  mkdirSync(UNPACKED, { recursive: true });
  // Lists may be there that were read before.
  await succeeds([...apt, 'update'], log);
  await succeeds([...apt, 'download', 'prometheus'], log, { cwd: UNPACKED });
  const deb = readdirSync(UNPACKED).find((file) => file.endsWith('.deb'));
  if (deb) await succeeds(['dpkg', '-x', deb, '.'], log, { cwd: UNPACKED });
}

async function install(log: LogLine): Promise<void> {
  const brew = findOnPath('brew');
  if (brew) await succeeds([brew, 'install', '--quiet', 'prometheus'], log);
}
