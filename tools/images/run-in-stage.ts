import { spawn } from 'node:child_process';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** How much of a failed command's output is shown; characters. */
const SHOWN = 4_000;
let npmCache: Promise<string> | undefined;

/**
 * Runs a RUN command in a folder, with nothing of this machine's environment but the way to Node, npm and its registry.
 *
 * @throws when it names absolute paths, which would be this machine's, or fails; the message ends with its output
 */
export async function runInStage(
  command: string,
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<void> {
  const absolute = /(?:^|[\s=:"'(])(\/[\w.]\S*)/.exec(command)?.[1];
  if (absolute) {
    throw new Error(`RUN ${command}: ${absolute} would be a path of this machine, which stays as it is`);
  }
  npmCache ??= capture('npm config get cache', { cwd: tmpdir(), env: process.env });
  await capture(command, { cwd, env: { ...machineEnvironment(), npm_config_cache: (await npmCache).trim(), ...env } });
}

/** Whether a RUN only removes absolute paths: then there is nothing to do where the base is this machine. */
export function removesOnlyFromBase(command: string): boolean {
  return /^rm -rf( \/[\w./*-]+)+$/.test(command);
}

function machineEnvironment(): NodeJS.ProcessEnv {
  const passed = Object.entries(process.env).filter(([name]) =>
    /^(https?|no)_proxy$|^NODE_EXTRA_CA_CERTS$/i.test(name),
  );
  return {
    ...Object.fromEntries(passed),
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: tmpdir(),
    npm_config_userconfig: process.env['npm_config_userconfig'] ?? join(homedir(), '.npmrc'),
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
    FORCE_COLOR: '0',
  };
}

function capture(command: string, { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let all = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => ((stdout += text), (all += text)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (all += text));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`RUN ${command}: ${signal ?? `exit code ${code}`}\n${all.slice(-SHOWN)}`));
    });
  });
}
