import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '@paymaster/domain/testing';
import { ProcessStartError, startProcess } from './process-registry';

const SHELL = { name: 'shell', command: 'sh', ready: { line: (line: string) => line === 'ready' } };

/** Whether any process of the group exists. */
function alive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

async function parentOfTwo(ending: string): Promise<{ parent: ChildProcess; groups: number[] }> {
  const fixture = join(__dirname, 'process-registry.fixture.ts');
  const parent = spawn(process.execPath, ['-r', './devnet/load-typescript.cjs', fixture, ending], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
  return { parent, groups: JSON.parse(line) as number[] };
}

describe('when the parent ends, nothing it started is left', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)('by %s', async (signal) => {
    const { parent, groups } = await parentOfTwo(signal === 'SIGKILL' ? 'wait-for-kill' : 'wait');
    expect(groups.map(alive)).toEqual([true, true]);
    parent.kill(signal);
    await until(() => !groups.some(alive));
  });

  it.each(['exit', 'throw', 'uncaught', 'failed-start'])('by %s', async (ending) => {
    const { groups } = await parentOfTwo(ending);
    await until(() => !groups.some(alive));
  });
});

/** Processes with that word in their command, that this one started and that have not ended, by their numbers. */
function children(word: string): string[] {
  const { stdout } = spawnSync('ps', ['-o', 'stat=,pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  const lines = stdout.split('\n').filter((line) => line.includes(word) && !line.startsWith('Z'));
  return lines.map((line) => line.trim().split(/\s+/)[1] ?? '');
}

describe('startProcess', () => {
  it('keeps nobody to watch over processes when none is left', async () => {
    const start = () => startProcess({ ...SHELL, args: ['-c', 'echo ready; sleep 600'] });
    // Those of test files before this one may be about to end.
    const earlier = children('guardian');
    const guardians = () => children('guardian').filter((pid) => !earlier.includes(pid));
    const [first, second] = [await start(), await start()];
    await first.stop();
    expect(guardians()).toHaveLength(1);
    await second.stop();
    await until(() => guardians().length === 0);
  });

  it('shows what the child wrote when it ends instead of serving', async () => {
    const start = startProcess({ ...SHELL, args: ['-c', 'echo the disk is full; exit 9'] });
    await expect(start).rejects.toThrow('shell ended (exit code 9)\n  the disk is full');
  });

  it('ends a child that does not come up in time', async () => {
    const start = startProcess({ ...SHELL, args: ['-c', 'sleep 600; exit', 'never-ready'], readyTimeoutMs: 500 });
    expect(children('never-ready')).toHaveLength(1);
    await expect(start).rejects.toThrow('shell was not ready after 0.5 s');
    expect(children('never-ready')).toEqual([]);
  });

  it('names a program that does not exist', async () => {
    const start = startProcess({ ...SHELL, command: '/does/not/exist', args: [] });
    await expect(start).rejects.toThrow(ProcessStartError);
  });

  it('waits for a probe and ends the group on stop, by force when asking does not help', async () => {
    let isDeaf = false;
    let asked = 0;
    const child = await startProcess({
      ...SHELL,
      args: ['-c', 'trap "" TERM; echo deaf; while :; do sleep 0.1; done'],
      log: () => (isDeaf = true),
      ready: { probe: () => Promise.resolve(isDeaf && ++asked === 3) },
      stopTimeoutMs: 500,
    });
    expect(asked).toBe(3);
    expect(alive(child.pid)).toBe(true);
    await child.stop();
    await until(() => !alive(child.pid));
  });

  it('tells when a child ends unasked', async () => {
    const child = await startProcess({ ...SHELL, args: ['-c', 'echo ready; sleep 0.2; exit 7'] });
    expect(await child.died).toBe('shell ended (exit code 7)');
  });
});
