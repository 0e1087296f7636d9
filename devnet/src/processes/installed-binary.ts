import { setTimeout as sleep } from 'node:timers/promises';
import { findOnPath, namedBinary } from './find-binary';
import type { LogLine } from './process-registry';
import { aptGet, succeeds } from './system-packages';

const TRIES = 3;
const TRY_AGAIN_AFTER_MS = 10_000;

/** A program that npm does not have, and how it gets onto the machine. */
export interface WantedBinary {
  readonly name: string;
  /** A program that serves as well, where it is there already. */
  readonly alternative?: string;
  /** The environment variable that names it. */
  readonly variable: string;
  /** Debian's package. */
  readonly package: string;
  /** Homebrew's formula, where there is one that needs no application folder. */
  readonly formula?: string;
  /** Says what to do where it can not be installed. */
  readonly advice: string;
}

/**
 * Path of a program: what its variable names, else PATH, else installed with the system's package manager, which is
 * asked only where it needs no password.
 *
 * @throws one sentence that says what to do
 */
export async function installedBinary(wanted: WantedBinary, log: LogLine = () => undefined): Promise<string> {
  const onPath = findOnPath(wanted.name) ?? (wanted.alternative && findOnPath(wanted.alternative));
  const found = namedBinary(wanted.variable) ?? onPath;
  if (found) return found;

  const commands = installCommands(wanted);
  for (let tried = 1; commands.length > 0 && tried <= TRIES; tried++) {
    if (tried > 1) await sleep(TRY_AGAIN_AFTER_MS);
    for (const command of commands) {
      log(`${wanted.name} is missing, running: ${command.join(' ')}`);
      // Lists may be there that were read before: whether the last command put it in place is what counts.
      await succeeds(command, log);
    }
    const installed = findOnPath(wanted.name);
    if (installed) return installed;
  }
  throw new Error(wanted.advice);
}

/** The commands to run in order, again when a mirror could not be reached; none when no package manager can be used without asking. */
function installCommands({ package: name, formula }: WantedBinary): string[][] {
  const apt = aptGet();
  if (apt) {
    return [
      [...apt, 'update'],
      [...apt, 'install', '-y', '--no-install-recommends', name],
    ];
  }
  const brew = formula && findOnPath('brew');
  return brew ? [[brew, 'install', '--quiet', formula]] : [];
}
