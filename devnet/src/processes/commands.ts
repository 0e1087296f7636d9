import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const TYPESCRIPT = ['-r', join(__dirname, '../../load-typescript.cjs')];
/** A process of its own that takes longer is killed; milliseconds. */
const LONGEST_MS = 300_000;

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

/** The commands of an app. They find no environment variable but PATH and those that they are given. */
export class Commands {
  private host: ChildProcess | undefined;
  /** Resolves when the commands before have ended. */
  private before: Promise<unknown> = Promise.resolve();
  /** Rejects when the host ends. */
  private lost: Promise<never> = new Promise(() => undefined);

  /**
   * @param folder where the files of the commands are
   * @param nodeArgs what Node is started with; absent for sources
   */
  constructor(
    private readonly folder: string,
    private readonly nodeArgs: readonly string[] = TYPESCRIPT,
  ) {}

  /** Starts a command in a process of its own, for a test that meets it at work. To start Node takes a second of a core. */
  start(file: string, args: readonly string[], env: NodeJS.ProcessEnv): StartedCommand {
    const child = spawn(process.execPath, [...this.nodeArgs, join(this.folder, file), ...args], {
      env: withPath(env),
      timeout: LONGEST_MS,
    });
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]).then(
      ([stdout, stderr, [code]]) => ({ code: code as number | null, stdout, stderr }),
    );
    return { child, ended };
  }

  /**
   * Runs a command in the process in which the commands before it ran, and waits until nothing keeps that process at
   * work.
   */
  run(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
    const ended = this.before.then(() => this.runNext(file, args, env));
    this.before = ended.catch(() => undefined);
    return ended;
  }

  private async runNext(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
    const host = (this.host ??= this.startHost());
    const told = once(host, 'message') as Promise<[Ended]>;
    host.channel?.ref();
    try {
      host.send({ file: join(this.folder, file), args, env: withPath(env) });
      return (await Promise.race([told, this.lost]))[0];
    } finally {
      host.channel?.unref();
    }
  }

  /** Ends the process in which commands ran. */
  async stop(): Promise<void> {
    if (!this.host?.connected) return;
    const ended = once(this.host, 'exit');
    this.host.disconnect();
    await ended;
  }

  private startHost(): ChildProcess {
    const host = fork(join(__dirname, 'commands-host.cjs'), { execArgv: [...this.nodeArgs] });
    // It ends with us, and does not keep us; a command that has not ended does.
    host.unref();
    this.lost = once(host, 'exit').then(() => {
      this.host = undefined;
      throw new Error('the process in which commands ran is gone');
    });
    this.lost.catch(() => undefined);
    return host;
  }
}

const withPath = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({ PATH: process.env['PATH'], ...env });
