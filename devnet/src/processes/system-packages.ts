import { spawn, spawnSync } from 'node:child_process';
import { findOnPath } from './find-binary';
import type { LogLine } from './process-registry';

/** How apt-get is called where it needs no password; undefined where it does, or where there is none. */
export function aptGet(): readonly string[] | undefined {
  if (!findOnPath('apt-get')) return undefined;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status !== 0) return undefined;
  // Another package manager may be at work, as on a machine that has just started.
  const patience = ['-o', 'Acquire::Retries=3', '-o', 'DPkg::Lock::Timeout=300'];
  return [...(isRoot ? [] : ['sudo', '-n']), 'apt-get', '-q', ...patience];
}

/** Runs a command to its end. @returns whether it went well */
export function succeeds(
  [command = '', ...args]: readonly string[],
  log: LogLine,
  { cwd }: { cwd?: string } = {},
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      ...(cwd !== undefined && { cwd }),
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => chunk.split('\n').filter(Boolean).forEach(log));
    }
    child.once('error', () => resolve(false)).once('close', (code) => resolve(code === 0));
  });
}
