import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** How a command ended, and all that it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartedCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Starts a command of this app from its sources. @param file in the sources' folder; @param env all that it finds besides PATH */
export function startCommand(file: string, args: readonly string[], env: NodeJS.ProcessEnv): StartedCommand {
  const child = spawn(process.execPath, ['-r', '@swc-node/register', join(__dirname, '..', file), ...args], {
    env: { PATH: process.env['PATH'], ...env },
    timeout: 300_000,
  });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]).then(
    ([stdout, stderr, [code]]) => ({ code: code as number | null, stdout, stderr }),
  );
  return { child, ended };
}
