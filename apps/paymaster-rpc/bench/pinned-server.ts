import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpuSecondsOf } from './process-cpu';

/** The core servers run on; the load generator and everything else has the others. */
export const SERVER_CORE = 0;

/** Whether processes can be pinned to cores here. */
export const canPin = spawnSync('taskset', ['--version']).status === 0;

/** A server under load in a process of its own, on a core of its own where that is possible. */
export class PinnedServer {
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
    const child = spawn(pinned[0] as string, pinned.slice(1), {
      env: { ...process.env, ...options.env, PORT: String(options.port) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const server = new PinnedServer(options.name, options.port, child);
    for (let attempt = 0; attempt < 300; attempt++) {
      if (child.exitCode !== null) throw new Error(`${options.name} ended with ${child.exitCode}`);
      if (await options.isReady().catch(() => false)) return server;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await server.stop();
    throw new Error(`${options.name} was not ready after 30 s`);
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
