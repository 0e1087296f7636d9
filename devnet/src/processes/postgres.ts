import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { onFreePort } from './free-port';
import { postgresBinaries, postgresUser, type PostgresBinaries, type SystemUser } from './postgres-binaries';
import { keepAsTemplate, preparePostgresHome, type PostgresHome } from './postgres-home';
import { ProcessStartError, startProcess, type LogLine, type RunningProcess } from './process-registry';

export interface PostgresOptions {
  /** Folder of the cluster, made on first use; a temporary one, removed on stop, when absent. */
  readonly dataDir?: string;
  /** Wanted port; another one is taken when it is busy. */
  readonly port?: number;
  /** Waits for the disk at every commit, as a database of an operator does. */
  readonly durable?: boolean;
  /** Of the server, by name. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly log?: LogLine;
}

export interface Postgres extends RunningProcess {
  /** Connection string of the database `paymaster`; its user may create others. */
  readonly url: string;
  readonly port: number;
}

const DATABASE = 'paymaster';
const USER = 'paymaster';
const INITDB = ['-U', USER, '--encoding=UTF8', '--locale=C', '--no-sync', '--auth=scram-sha-256', '--wal-segsize=1'];
/** Initialised homes, which temporary ones are copied from: a copy takes a third of what initdb takes. */
const TEMPLATES = join(__dirname, '../../../node_modules/.cache/paymaster-postgres');
/** What is in here is for development: losing it in a power cut is fine, waiting for the disk is not. */
const FAST = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/** A real Postgres on loopback with a password of its own. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const user = postgresUser();
  const binaries = postgresBinaries(user);
  const template = templateOf(binaries, user);
  const home = preparePostgresHome(options.dataDir, user, template);
  const { cluster, password } = home;
  if (!existsSync(join(cluster, 'PG_VERSION'))) {
    initialise({ home, binaries, user });
    if (!options.dataDir) keepAsTemplate(home, template);
  }
  const settings = Object.entries(options.settings ?? {}).map(([name, value]) => `${name}=${value}`);

  return onFreePort(options.port, async (port) => {
    const child = await startProcess({
      name: 'postgres',
      command: binaries.postgres,
      args: [
        ...['-D', cluster, '-k', cluster, '-h', '127.0.0.1', '-p', String(port)],
        ...[...(options.durable ? [] : FAST), ...settings].flatMap((setting) => ['-c', setting]),
      ],
      cwd: cluster,
      env: { LC_ALL: 'C' },
      user,
      ready: { line: (line) => line.includes('ready to accept connections') },
      // SIGINT is Postgres's fast shutdown; SIGTERM would wait for its clients.
      stopSignal: 'SIGINT',
      log: options.log,
    });
    const url = (database: string) => `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;
    try {
      await createDatabase(url('postgres'));
    } catch (error) {
      await child.stop();
      throw error;
    }
    return {
      ...child,
      port,
      url: url(DATABASE),
      async stop() {
        await child.stop();
        home.discard();
      },
    };
  });
}

/** Another one for other binaries, for another user of them, and for other options. */
function templateOf(binaries: PostgresBinaries, user: SystemUser | undefined): string {
  const { size, mtimeMs } = statSync(binaries.postgres);
  const parts = [binaries.postgres, size, mtimeMs, user?.uid ?? process.getuid?.(), ...INITDB];
  return join(TEMPLATES, createHash('sha256').update(parts.join()).digest('hex').slice(0, 16));
}

function initialise(make: { home: PostgresHome; binaries: PostgresBinaries; user: SystemUser | undefined }): void {
  const { cluster, passwordFile } = make.home;
  const result = spawnSync(make.binaries.initdb, ['-D', cluster, ...INITDB, `--pwfile=${passwordFile}`], {
    cwd: cluster,
    env: { ...process.env, LC_ALL: 'C' },
    encoding: 'utf8',
    ...make.user,
  });
  if (result.status === 0) return;
  rmSync(cluster, { recursive: true, force: true });
  throw new ProcessStartError('initdb', 'failed', `${result.error ?? ''}${result.stdout}${result.stderr}`.split('\n'));
}

async function createDatabase(adminUrl: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}
