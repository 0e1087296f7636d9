import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { startPostgres, type Postgres } from './postgres';

/** An empty database of its own, in a server that others use too. */
export interface TestDatabase {
  /** Its user may create further databases. */
  readonly url: string;
  /** Ends its connections and deletes it. */
  stop(): Promise<void>;
}

let server: { readonly postgres: Promise<Postgres>; users: number } | undefined;

/**
 * A database for a test, in the server of the whole run (`TEST_POSTGRES_URL`), else in one that lives as long as this
 * process uses it: to start and stop a server takes a second of a core. A test that stops its server starts one itself.
 */
export async function openDatabase(): Promise<TestDatabase> {
  const shared = process.env['TEST_POSTGRES_URL'] ?? (await acquireServer());
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin(shared, `CREATE DATABASE ${name}`);
  const url = new URL(shared);
  url.pathname = `/${name}`;
  let stopped: Promise<void> | undefined;
  return { url: url.href, stop: () => (stopped ??= discard(shared, name)) };
}

async function discard(shared: string, name: string): Promise<void> {
  await asAdmin(shared, `DROP DATABASE ${name} WITH (FORCE)`);
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

async function asAdmin(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
