import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Commands } from '../processes/commands';
import { builtFile } from './applications';

/** Kept by Node: Jest's modules are new in each test file, and this one is the same in all files of a process. */
const ofProcess = process.getBuiltinModule('node:module').createRequire(__filename)('../processes/of-process.cjs') as {
  accountCommands?: Commands;
};

/** Runs the operator's command for accounts, which needs the database and no running service. @returns its JSON */
export async function accountCommand<T>(env: NodeJS.ProcessEnv, ...args: string[]): Promise<T> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [builtFile('dashboard', 'account.js'), ...args, '--json'],
    { env: { ...process.env, ...env } },
  );
  return JSON.parse(stdout) as T;
}

/**
 * The same command for tests, which ask often. Those of all files of a process run in one other process, which takes 0.8 s
 * of a core to start and ends with this one.
 */
export class AccountCommands {
  private readonly commands = (ofProcess.accountCommands ??= new Commands(builtFile('dashboard', ''), []));

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
}
