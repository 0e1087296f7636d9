import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { until } from '@paymaster/domain/testing';

const RUN = pathToFileURL(join(__dirname, 'run.mjs')).href;
/** A shell with a child that stays, which says the numbers of both. */
const STAYS = `sh -c 'echo $PPID $$ > "$PIDS"; exec sleep 600'; true`;

let folder: string;
let runner: ChildProcess;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'paymaster-run-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Starts a process that runs a gentle command, as `npm test` runs the contracts' tests. Its `spawn` returns `spawnMs`
 * after the command has started.
 */
async function runGently({ spawnMs = 0 } = {}) {
  const script = `
    import childProcess from 'node:child_process';
    import { syncBuiltinESMExports } from 'node:module';
    const { spawn } = childProcess;
    childProcess.spawn = (...given) => {
      const child = spawn(...given);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${spawnMs});
      return child;
    };
    syncBuiltinESMExports();
    const { run } = await import('${RUN}');
    await run('sh', ['-c', ${JSON.stringify(STAYS)}], { gentle: true, capture: true });`;
  const pids = join(folder, 'pids');
  const env = { ...process.env, PIDS: pids };
  runner = spawn(process.execPath, ['--input-type=module', '-e', script], { env, stdio: 'inherit' });
  const read = (): string => (existsSync(pids) ? readFileSync(pids, 'utf8') : '');
  await until(async () => read().endsWith('\n'));
  const [shell = NaN, child = NaN] = read().split(' ').map(Number);
  return { shell, child };
}

function isAlive(pid: number): boolean {
  // One that has ended but was not waited for still has its number.
  const state = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
  return state !== '' && !state.startsWith('Z');
}

describe('a gentle command', () => {
  // It still runs when the test failed.
  afterEach(() => runner.kill());

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'gives way to all others, and ends with its children at %s',
    async (signal) => {
      const { shell, child } = await runGently();
      expect(getPriority(child)).toBe(19);
      const group = `/proc/${child}/autogroup`;
      await until(async () => !existsSync(group) || / nice 19\n$/.test(readFileSync(group, 'utf8')));

      await expectEnd(signal, [shell, child]);
    },
  );

  it('ends at a signal that comes before its spawn has returned', async () => {
    const { shell, child } = await runGently({ spawnMs: 1_000 });
    await expectEnd('SIGTERM', [shell, child]);
  });
});

/** Sends the runner a signal, and waits until it and the processes of its command have ended. */
async function expectEnd(signal: 'SIGINT' | 'SIGTERM', pids: readonly number[]): Promise<void> {
  const ended = once(runner, 'exit');
  runner.kill(signal);
  await ended;
  await until(async () => !pids.some(isAlive));
}

describe('a command', () => {
  const packaged = `node_modules/node-${process.platform}-${process.arch}`;

  /** Runs it in a workspace that ships this version of Node, for which a script stands that says how it was called. */
  function runWhere(shipped: string) {
    mkdirSync(join(folder, packaged, 'bin'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ engines: { node: shipped } }));
    writeFileSync(join(folder, packaged, 'package.json'), JSON.stringify({ version: shipped }));
    const script = '#!/bin/sh\necho "$@"; command -v node; exit 7\n';
    writeFileSync(join(folder, packaged, 'bin/node'), script, { mode: 0o755 });
    cpSync(__dirname, join(folder, 'tools/lib'), { recursive: true });
    const work = "async () => { console.log('worked'); return 3; }";
    writeFileSync(join(folder, 'command.mjs'), `import { main } from './tools/lib/run.mjs';\nmain(${work});\n`);
    return spawnSync(process.execPath, ['--no-warnings', 'command.mjs', 'an argument'], {
      cwd: folder,
      encoding: 'utf8',
    });
  }

  it('runs again with the Node that ships, which is first in the PATH, and ends as that ends', () => {
    const { status, stdout } = runWhere('0.0.1');
    const [command, path] = stdout.split('\n');
    expect(command).toBe(`--no-warnings ${join(folder, 'command.mjs')} an argument`);
    expect(path).toBe(join(folder, packaged, 'bin/node'));
    expect(status).toBe(7);
  });

  it('works at once when it is that Node', () => {
    expect(runWhere(process.versions.node)).toMatchObject({ status: 3, stdout: 'worked\n' });
  });
});
