import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LogLine } from '../processes/process-registry';

/** The files of one local world. */
export interface DataFolder {
  readonly stackFile: string;
  readonly chainsFile: string;
  /** The operator's token list, which chains.json names. */
  readonly tokensFile: string;
  readonly secretsFile: string;
  readonly postgres: string;
  readonly nats: string;
  readonly chainState: string;
  /** Present while somebody wants NATS to be down; see nats-switch.ts. */
  readonly natsOffFile: string;
  /** Mails that the world's mail server got since the start. */
  readonly mailLog: string;
  /** A log that appends to `logs/<name>.log`, begun anew with each start. */
  log(name: string): LogLine;
  /** Gives the folder back to the next start. */
  unlock(): void;
}

/**
 * Makes the folder and claims it for this process: two worlds in one folder would share a database.
 *
 * @throws when a world already runs from it
 */
export function openDataFolder(root: string): DataFolder {
  mkdirSync(join(root, 'logs'), { recursive: true });
  const lockFile = join(root, 'stack.pid');
  const holder = existsSync(lockFile) ? Number(readFileSync(lockFile, 'utf8')) : undefined;
  if (holder && holder !== process.pid && isNodeProcess(holder)) {
    throw new Error(`A local world already runs from ${root} (process ${holder}): stop it first, or use --data-dir.`);
  }
  writeFileSync(lockFile, String(process.pid));
  return {
    stackFile: join(root, 'stack.json'),
    chainsFile: join(root, 'chains.json'),
    tokensFile: join(root, 'tokens.json'),
    secretsFile: join(root, 'secrets.json'),
    postgres: join(root, 'postgres'),
    nats: join(root, 'nats'),
    chainState: join(root, 'chain', 'state.json'),
    natsOffFile: join(root, 'nats.off'),
    mailLog: join(root, 'logs', 'mail.log'),
    log(name) {
      const file = join(root, 'logs', `${name}.log`);
      writeFileSync(file, '', { mode: 0o600 });
      return (line) => appendFileSync(file, `${line}\n`);
    },
    unlock: () => rmSync(lockFile, { force: true }),
  };
}

/** A pid may have been given to somebody else since; where /proc tells, only a node process counts. */
function isNodeProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const commandLine = `/proc/${pid}/cmdline`;
    return !existsSync(commandLine) || readFileSync(commandLine, 'utf8').includes('node');
  } catch {
    return false;
  }
}
