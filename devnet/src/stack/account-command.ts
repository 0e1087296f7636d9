import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Commands } from '../processes/commands';
import { builtFile } from './applications';

/** Runs the operator's command for accounts, which needs the database and no running service. @returns its JSON */
export async function accountCommand<T>(env: NodeJS.ProcessEnv, ...args: string[]): Promise<T> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [builtFile('dashboard', 'account.js'), ...args, '--json'],
    { env: { ...process.env, ...env } },
  );
  return JSON.parse(stdout) as T;
}

/** The same command for tests, which ask often: all run in one process, because Node takes half a second of a core to start. */
export class AccountCommands {
  private readonly commands = new Commands(builtFile('dashboard', ''), []);

  /** @returns what the command wrote @throws Error when it failed */
  async run(env: NodeJS.ProcessEnv, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.commands.run('account.js', args, env);
    if (code !== 0) throw new Error(`account ${args[0]} ended with ${code}: ${stderr}`);
    return stdout;
  }

  /** @returns the JSON that the command wrote */
  async ask<T>(env: NodeJS.ProcessEnv, ...args: string[]): Promise<T> {
    return JSON.parse(await this.run(env, ...args, '--json')) as T;
  }

  stop(): Promise<void> {
    return this.commands.stop();
  }
}
