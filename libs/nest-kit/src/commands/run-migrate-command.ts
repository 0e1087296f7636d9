import { parseArgs } from 'node:util';
import { run } from '../http/create-http-app';

export interface MigrateCommand {
  /** The schema, as it is named in Postgres. */
  readonly schema: string;
  /** Reads the configuration and migrates; the names of the migrations that ran. */
  readonly migrate: () => Promise<readonly string[]>;
}

/**
 * The command `migrate.js` of an app that owns a schema: migrates once and ends, for a job that runs before a rollout.
 * Exit code 0: the schema is at the newest version. 1: it is as it was before. 2: the command is wrong.
 */
export function runMigrateCommand(command: MigrateCommand): void {
  run(() => migrateOnce(command));
}

const help = (schema: string): string => `Brings the Postgres schema "${schema}" to the newest version, then ends.

  --help   this text

Safe to repeat, and beside other processes that do the same: one migrates, the others wait for it. All migrations that
are due are one transaction. Only goes forward.
Exit code 0: the schema is at the newest version. 1: it is as it was before. 2: the command is wrong.
Reads DATABASE_URL, or the file that DATABASE_URL_FILE names.
`;

async function migrateOnce({ schema, migrate }: MigrateCommand): Promise<void> {
  let asked: { help?: boolean };
  try {
    asked = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } }).values;
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n\n${help(schema)}`);
    process.exitCode = 2;
    return;
  }
  if (asked.help) {
    process.stdout.write(help(schema));
    return;
  }
  const ran = await migrate().catch((error: unknown) => {
    throw new Error(`The schema ${schema} is not migrated. ${messageOf(error)}`, { cause: error });
  });
  for (const name of ran) process.stdout.write(`${name}\n`);
  process.stdout.write(`The schema ${schema} is at its newest version; migrations that ran: ${ran.length}.\n`);
}

/** Node's error for a host with several addresses has no message of its own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
