import { runCommand } from './run-command';

export interface MigrateCommand {
  /** The schema's name in Postgres. */
  readonly schema: string;
  /** Reads the configuration and migrates. @returns the names of the migrations that ran */
  readonly migrate: () => Promise<readonly string[]>;
}

/**
 * The command `migrate.js` of an app that owns a schema: migrates once and ends, for a job that runs before a rollout.
 * Exit code 0: the schema is at the newest version. 1: it is unchanged. 2: the command is wrong.
 */
export function runMigrateCommand(command: MigrateCommand): void {
  runCommand(help(command.schema), {}, () => migrateOnce(command));
}

const help = (schema: string): string => `Brings the Postgres schema "${schema}" to the newest version, then ends.

  --help   this text

Safe to repeat, and beside other processes that do the same: one migrates, the others wait for it. All migrations that
are due are one transaction. Only goes forward.
Exit code 0: the schema is at the newest version. 1: it is as it was before. 2: the command is wrong.
Reads DATABASE_URL, or the file that DATABASE_URL_FILE names.
`;

async function migrateOnce({ schema, migrate }: MigrateCommand): Promise<void> {
  const ran = await migrate().catch((error: unknown) => {
    throw new Error(`The schema ${schema} is not migrated. ${messageOf(error)}`, { cause: error });
  });
  const names = ran.map((name) => `${name}\n`).join('');
  process.stdout.write(`${names}The schema ${schema} is at its newest version; migrations that ran: ${ran.length}.\n`);
}

/** Node's error for a host with several addresses has no message of its own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
