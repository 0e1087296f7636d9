import { parseArgs } from 'node:util';
import { loadConfig } from '@paymaster/nest-kit';
import { Client } from 'pg';
import type { DatabaseConfig } from '../config/database.config';
import { countApiKeys, rewriteApiKeys, type Renew, type RotationProgress } from './rewrite-api-keys';

/** A command that renews what is stored encrypted. */
export interface RotationCommand<T extends DatabaseConfig> {
  /** What the command is called, also in the server's list of connections. */
  readonly name: string;
  readonly help: string;
  readonly config: new () => T;
  readonly renewWith: (config: T) => Renew;
  /** What was done to a row that was renewed. */
  readonly renewed: string;
}

interface Arguments {
  readonly help: boolean;
  readonly checkOnly: boolean;
  readonly batchSize: number;
}

/** Runs it with the arguments and the environment of this process, and sets the exit code as its help says. */
export async function runRotation<T extends DatabaseConfig>(command: RotationCommand<T>): Promise<void> {
  const asked = readArguments(command.help);
  if (!asked) return;
  if (asked.help) return print(command.help);
  const { checkOnly, batchSize } = asked;
  const config = loadConfig(command.config);
  const client = new Client({ connectionString: config.databaseUrl, application_name: command.name });
  await client.connect();
  try {
    const total = await countApiKeys(client);
    const onBatch = ({ seen, behind }: RotationProgress): void =>
      print(`${seen} of ${total} rows, ${behind} ${checkOnly ? 'are of an older key' : command.renewed}\n`);
    const renew = command.renewWith(config);
    report(await rewriteApiKeys({ client, renew, batchSize, checkOnly, onBatch }), checkOnly);
  } finally {
    await client.end();
  }
}

function report({ seen, behind, unreadable }: RotationProgress, checkOnly: boolean): void {
  for (const id of unreadable) process.stderr.write(`A secret of ${id} is opened by no key.\n`);
  const left = unreadable.length + (checkOnly ? behind : 0);
  print(`Done: ${seen} rows, ${seen - left} of the newest key, ${left} left.\n`);
  if (left > 0) process.exitCode = 1;
}

/** Undefined, with the help and exit code 2, when the command is wrong. */
function readArguments(help: string): Arguments | undefined {
  try {
    const { values } = parseArgs({
      options: {
        check: { type: 'boolean', default: false },
        'batch-size': { type: 'string', default: '500' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const batchSize = Number(values['batch-size']);
    if (!Number.isInteger(batchSize) || batchSize < 1 || batchSize > 10_000) {
      throw new Error('--batch-size must be a whole number from 1 to 10000.');
    }
    return { help: values.help, checkOnly: values.check, batchSize };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : 'Unknown arguments.'}\n\n${help}`);
    process.exitCode = 2;
    return undefined;
  }
}

function print(text: string): void {
  process.stdout.write(text);
}
