import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** Receives what a child process writes, one line at a time. */
export type LogLine = (line: string) => void;

export interface SpawnOptions {
  /** The word people know it by: `postgres`, `nats-server`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Added to this process's environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** `env` is all the child gets, as in a container. */
  readonly envIsAll?: boolean;
  /** Run as this user (only root may). */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** How to see that it serves: a line it writes, or a question asked again and again. */
  readonly ready: { readonly line: (line: string) => boolean } | { readonly probe: () => Promise<boolean> };
  readonly readyTimeoutMs?: number;
  /** What a polite request to end is for this program. */
  readonly stopSignal?: NodeJS.Signals;
  /** How long it may take over that request before it is ended by force. */
  readonly stopTimeoutMs?: number;
  readonly log?: LogLine;
}

export interface RunningProcess {
  readonly pid: number;
  /** Resolves with a sentence when the process ends without having been asked to. */
  readonly died: Promise<string>;
  /** Resolves with how it ended, whoever asked for it. */
  readonly ended: Promise<string>;
  /** Ends the whole process group: politely, after `stopTimeoutMs` by force. Safe to call twice. */
  stop(): Promise<void>;
}

/** A child did not come up; the message ends with its last lines of output. */
export class ProcessStartError extends Error {
  constructor(
    readonly processName: string,
    problem: string,
    readonly output: readonly string[],
  ) {
    super([`${processName} ${problem}`, ...output.slice(-12).map((line) => `  ${line}`)].join('\n'));
    this.name = 'ProcessStartError';
  }
}

/** For a busy machine and a slow disk: most servers are up within a second and gone within another. */
const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 30_000;
const running = new Set<RunningProcess>();
let guardian: ChildProcess | undefined;

/**
 * Starts a child in a process group of its own and waits until it serves.
 * However this process ends, the group ends with it: see guardian.cjs.
 *
 * @throws {ProcessStartError} when it ends or stays silent instead; nothing is left running then
 */
export async function startProcess(options: SpawnOptions): Promise<RunningProcess> {
  const guard = watchOver();
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: options.envIsAll ? options.env : { ...process.env, ...options.env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options.user,
  });
  const { pid } = child;
  if (pid === undefined) {
    const error = await new Promise<Error>((resolve) => child.once('error', resolve));
    throw new ProcessStartError(options.name, `cannot be started: ${error.message}`, []);
  }
  const stopSignal = options.stopSignal ?? 'SIGTERM';
  guard.stdin?.write(`+${pid} ${stopSignal}\n`);

  const output: string[] = [];
  const exited = new Promise<string>((resolve) =>
    child.once('close', (code, signal) => resolve(`ended (${signal ?? `exit code ${code}`})`)),
  );
  let stopping: Promise<void> | undefined;
  const handle: RunningProcess = {
    pid,
    ended: exited,
    died: exited.then((how) => (stopping ? new Promise<never>(() => undefined) : `${options.name} ${how}`)),
    stop: () =>
      (stopping ??= stopGroup({ pid, signal: stopSignal, exited, graceMs: options.stopTimeoutMs ?? STOP_TIMEOUT_MS })),
  };
  running.add(handle);
  void exited.then(() => {
    running.delete(handle);
    guard.stdin?.write(`-${pid}\n`);
    if (running.size === 0) dismiss(guard);
  });

  try {
    await untilReady({ child, options, output, exited });
  } catch (error) {
    await handle.stop();
    throw error;
  }
  // From here on the child must not keep this process from ending; the guardian cleans up after it.
  child.unref();
  for (const stream of [child.stdout, child.stderr]) (stream as Readable & { unref?(): void }).unref?.();
  return handle;
}

/** Ends everything this process started, newest first. */
export async function stopAllProcesses(): Promise<void> {
  for (const handle of [...running].reverse()) await handle.stop();
}

function watchOver(): ChildProcess {
  if (guardian?.exitCode === null && guardian.signalCode === null) return guardian;
  guardian = spawn(process.execPath, [join(__dirname, 'guardian.cjs')], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env['PATH'] },
  });
  guardian.stdin?.on('error', () => undefined);
  guardian.unref();
  (guardian.stdin as unknown as { unref(): void }).unref();
  return guardian;
}

/** With nobody left to watch over it ends; whoever starts the next process gets a new one. */
function dismiss(guard: ChildProcess): void {
  guard.stdin?.end();
  if (guardian === guard) guardian = undefined;
}

async function untilReady(start: {
  child: ChildProcess;
  options: SpawnOptions;
  output: string[];
  exited: Promise<string>;
}): Promise<void> {
  const { child, options, output, exited } = start;
  const timeoutMs = options.readyTimeoutMs ?? READY_TIMEOUT_MS;
  const { ready: readiness } = options;
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  const saidSo = new Promise<void>((resolve) => {
    const onLine = (line: string) => {
      if (output.push(line) > 200) output.shift();
      options.log?.(line);
      if ('line' in readiness && readiness.line(line)) resolve();
    };
    for (const stream of [child.stdout, child.stderr]) if (stream) eachLine(stream, onLine);
  });
  const ready = 'line' in readiness ? saidSo : untilTrue(() => (over ? Promise.resolve(true) : readiness.probe()));
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new ProcessStartError(options.name, `was not ready after ${timeoutMs / 1000} s`, output)),
      timeoutMs,
    );
  });
  const failed = exited.then((how) => {
    throw new ProcessStartError(options.name, how, output);
  });
  try {
    await Promise.race([ready, failed, late]);
  } finally {
    over = true;
    clearTimeout(timer);
    failed.catch(() => undefined);
  }
}

async function untilTrue(probe: () => Promise<boolean>): Promise<void> {
  while (!(await probe().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 100));
}

function eachLine(stream: Readable, onLine: LogLine): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(onLine);
  });
}

async function stopGroup(group: {
  pid: number;
  signal: NodeJS.Signals;
  exited: Promise<string>;
  graceMs: number;
}): Promise<void> {
  signalGroup(group.pid, group.signal);
  const force = setTimeout(() => signalGroup(group.pid, 'SIGKILL'), group.graceMs);
  await group.exited;
  clearTimeout(force);
  // What the leader left behind in its group (a shell's children, say).
  signalGroup(group.pid, 'SIGKILL');
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Already gone.
  }
}
