import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { aptGet, findOnPath, isExecutable, namedBinary, succeeds, type LogLine } from '@paymaster/devnet';

const ADVICE =
  'promtool was not found: install Prometheus (Debian/Ubuntu: apt-get install prometheus, macOS: brew install prometheus) ' +
  'or name it with PROMTOOL_BIN.';

/** Debian's package is unpacked here and not installed: it would start a Prometheus on this machine. */
const UNPACKED = join(__dirname, '../../node_modules/.cache/prometheus');
const UNPACKED_TOOL = join(UNPACKED, 'usr/bin/promtool');
const TRIES = 3;
const TRY_AGAIN_AFTER_MS = 10_000;

/**
 * Path of promtool, which comes with Prometheus: PROMTOOL_BIN, else PATH, else out of Debian's package or installed
 * with brew.
 *
 * @throws one sentence that says what to do
 */
export async function promtoolBinary(log: LogLine = () => undefined): Promise<string> {
  const named = namedBinary('PROMTOOL_BIN');
  if (named) return named;
  for (let tried = 1; ; tried++) {
    const found = findOnPath('promtool') ?? [UNPACKED_TOOL].find(isExecutable);
    if (found) return found;
    if (tried > TRIES || !(findOnPath('apt-get') ?? findOnPath('brew'))) throw new Error(ADVICE);
    if (tried > 1) await sleep(TRY_AGAIN_AFTER_MS);
    await (findOnPath('apt-get') ? unpack(log) : install(log));
  }
}

/** Aside, and put in its place once it is whole: others may look for it meanwhile, or be at it too. */
async function unpack(log: LogLine): Promise<void> {
  mkdirSync(dirname(UNPACKED), { recursive: true });
  const aside = mkdtempSync(`${UNPACKED}-`);
  try {
    // Only this needs rights. Lists may be there that were read before.
    const apt = aptGet();
    if (apt) await succeeds([...apt, 'update'], log);
    await succeeds(['apt-get', '-q', '-o', 'Acquire::Retries=3', 'download', 'prometheus'], log, { cwd: aside });
    const deb = readdirSync(aside).find((file) => file.endsWith('.deb'));
    if (deb && (await succeeds(['dpkg', '-x', deb, '.'], log, { cwd: aside }))) renameSync(aside, UNPACKED);
  } catch (error) {
    // Another process was faster.
    if (!isExecutable(UNPACKED_TOOL)) throw error;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

async function install(log: LogLine): Promise<void> {
  await succeeds(['brew', 'install', '--quiet', 'prometheus'], log);
}
