import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuSecondsOf } from './process-cpu';

const DOCKERFILE = readFileSync(join(__dirname, '../../../docker/paymaster-rpc.Dockerfile'), 'utf8');
/** What Node is told in the gateway's image; every server is told it, so that ratios compare what they do. */
const NODE_OPTIONS = /^ENV NODE_OPTIONS=(\S+)$/m.exec(DOCKERFILE)?.[1];

/** The core servers run on; the load generator and everything else has the others. */
export const SERVER_CORE = 0;

/** Whether processes can be pinned to cores here. */
export const canPin = spawnSync('taskset', ['--version']).status === 0;

/** How often a server that starts is asked whether it is ready; milliseconds. */
const LOOK_MS = 10;
const START_MS = 30_000;

/** A server under load in a process of its own, on a core of its own where that is possible. */
export class PinnedServer {
  /** From its start; milliseconds. */
  readyAfterMs = NaN;

  private constructor(
    readonly name: string,
    readonly port: number,
    private readonly child: ChildProcess,
  ) {}

  /** Starts it and waits until `isReady` says so. */
  static async start(options: {
    name: string;
    port: number;
    args: readonly string[];
    env: NodeJS.ProcessEnv;
    isReady: () => Promise<boolean>;
  }): Promise<PinnedServer> {
    const command = [process.execPath, ...options.args];
    const pinned = canPin ? ['taskset', '-c', String(SERVER_CORE), ...command] : command;
    const startedMs = performance.now();
    const child = spawn(pinned[0] as string, pinned.slice(1), {
      env: { ...process.env, NODE_OPTIONS, ...options.env, PORT: String(options.port) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const server = new PinnedServer(options.name, options.port, child);
    while (performance.now() - startedMs < START_MS) {
      if (child.exitCode !== null) throw new Error(`${options.name} ended with ${child.exitCode}`);
      if (await options.isReady().catch(() => false)) {
        server.readyAfterMs = performance.now() - startedMs;
        return server;
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    await server.stop();
    throw new Error(`${options.name} was not ready after ${START_MS / 1_000} s`);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** CPU time used so far, user and system; seconds. Zero where there is no /proc. */
  cpuSeconds(): number {
    return cpuSecondsOf(this.child.pid);
  }

  /** Ends it as a machine that loses power would. */
  async kill(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await ended;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    const force = setTimeout(() => this.child.kill('SIGKILL'), 5_000);
    await ended;
    clearTimeout(force);
  }
}
