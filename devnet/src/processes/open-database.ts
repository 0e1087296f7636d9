import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { startPostgres, type Postgres } from './postgres';

/** A database of its own, in a server that others use too. */
export interface TestDatabase {
  /** Its user may create further databases. */
  readonly url: string;
  /** Ends its connections and deletes it. */
  stop(): Promise<void>;
}

/** What many databases of a server begin with: it is made once, and copied then. */
export interface DatabaseTemplate {
  /** Of the database that is copied. */
  readonly name: string;
  /** Fills the empty database at this URL. */
  fill(url: string): Promise<unknown>;
}

/** Held while a template is made. An arbitrary constant. */
const TEMPLATE_LOCK = 4337_0003;

let server: { readonly postgres: Promise<Postgres>; users: number } | undefined;

/**
 * A database for a test, in the server of the whole run (`TEST_POSTGRES_URL`), else in one that lives as long as this
 * process uses it: to start and stop a server takes a second of a core. A test that stops its server starts one itself.
 *
 * @param template what it begins with; it is empty without
 */
export async function openDatabase(template?: DatabaseTemplate): Promise<TestDatabase> {
  const shared = process.env['TEST_POSTGRES_URL'] ?? (await acquireServer());
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = await makeDatabase(shared, name, template);
  let stopped: Promise<void> | undefined;
  return { url, stop: () => (stopped ??= discard(shared, name)) };
}

/**
 * Makes a database in a server. @param serverUrl of a database there @returns its URL
 *
 * Many migrations take ten times as long as a copy of what they made. So a template is kept in the server of a whole
 * run; one that serves a single file has no use for it.
 */
export async function makeDatabase(serverUrl: string, name: string, template?: DatabaseTemplate): Promise<string> {
  const url = urlOf(serverUrl, name);
  const { host } = new URL(process.env['TEST_POSTGRES_URL'] ?? 'none:');
  const isShared = new URL(serverUrl).host === host;
  const isCopied = template !== undefined && isShared;
  await asAdmin(isCopied ? urlOf(serverUrl, 'postgres') : serverUrl, async (ask) => {
    if (isCopied) await makeTemplate(ask, serverUrl, template);
    const source = isCopied ? ` TEMPLATE ${template.name}` : '';
    // To copy files takes Postgres half as long as to log each page of them.
    await ask(`CREATE DATABASE ${name}${source}${isShared ? ' STRATEGY file_copy' : ''}`);
  });
  if (!isCopied) await template?.fill(url);
  return url;
}

type Ask = (statement: string) => Promise<number>;

/** Unless it is there. Nobody may connect to it then, because a database that is in use cannot be copied. */
async function makeTemplate(ask: Ask, serverUrl: string, { name, fill }: DatabaseTemplate): Promise<void> {
  const isThere = async () => (await ask(`SELECT FROM pg_database WHERE datname = '${name}' AND datistemplate`)) > 0;
  if (await isThere()) return;
  await ask(`SELECT pg_advisory_lock(${TEMPLATE_LOCK})`);
  if (await isThere()) return;
  // Somebody may have been ended while making it.
  await ask(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await ask(`CREATE DATABASE ${name}`);
  await fill(urlOf(serverUrl, name));
  await ask(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false IS_TEMPLATE true`);
}

async function discard(shared: string, name: string): Promise<void> {
  await asAdmin(shared, (ask) => ask(`DROP DATABASE ${name} WITH (FORCE)`));
  if (shared !== process.env['TEST_POSTGRES_URL']) await releaseServer();
}

async function acquireServer(): Promise<string> {
  server ??= { postgres: startPostgres(), users: 0 };
  server.users += 1;
  return (await server.postgres).url;
}

async function releaseServer(): Promise<void> {
  const left = server;
  if (!left || (left.users -= 1) > 0) return;
  server = undefined;
  await (await left.postgres).stop();
}

function urlOf(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function asAdmin(url: string, use: (ask: Ask) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await use(async (statement) => (await client.query(statement)).rowCount ?? 0);
  } finally {
    await client.end();
  }
}
