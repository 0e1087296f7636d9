import { startPostgres, type Postgres } from '@paymaster/devnet';
import { migrateLedger } from '@paymaster/ledger';
import { Client } from 'pg';
import { migrateDashboard } from '../../apps/dashboard/src/schema/data-source';
import { read } from './environment';

const PASSWORD = 'only-in-this-test';

let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres();
  await as('administrator', read('k8s/postgres/roles.sql'));
  for (const role of ['migrator', 'dashboard', 'gateway', 'settlement', 'reader']) {
    await as('administrator', `ALTER ROLE paymaster_${role} PASSWORD '${PASSWORD}'`);
  }
  expect((await migrateDashboard(urlOf('migrator'))).length).toBeGreaterThan(0);
  expect((await migrateLedger(urlOf('migrator'))).length).toBeGreaterThan(0);
});
afterAll(() => postgres.stop());

function urlOf(role: string, database?: string): string {
  const url = new URL(postgres.url);
  if (database) url.pathname = database;
  if (role !== 'administrator') Object.assign(url, { username: `paymaster_${role}`, password: PASSWORD });
  return url.href;
}

async function as(role: string, sql: string, database?: string): Promise<unknown[]> {
  const client = new Client({ connectionString: urlOf(role, database) });
  await client.connect();
  try {
    return (await client.query(sql)).rows as unknown[];
  } finally {
    await client.end();
  }
}

describe('the roles of k8s/postgres/roles.sql', () => {
  it('let apps start: nothing is left to migrate, and nothing has to be created', async () => {
    expect(await migrateDashboard(urlOf('dashboard'))).toEqual([]);
    expect(await migrateLedger(urlOf('settlement'))).toEqual([]);
    expect(await migrateLedger(urlOf('gateway'))).toEqual([]);
  });

  it.each([
    ['dashboard', `INSERT INTO dashboard.accounts (id, name) VALUES (gen_random_uuid(), 'team') RETURNING name`],
    ['gateway', 'SELECT count(*) FROM ledger.reservations'],
    ['gateway', `SELECT nextval('ledger.reservations_id_seq')`],
    ['settlement', 'DELETE FROM ledger.outbox'],
    ['reader', 'SELECT count(*) FROM ledger.entries'],
    ['reader', 'SELECT count(*) FROM dashboard.paymasters'],
  ])('let %s: %s', async (role, sql) => {
    await expect(as(role, sql)).resolves.toBeDefined();
  });

  it('are given a second database of the same server, for a restore', async () => {
    await as('administrator', 'CREATE DATABASE restored');
    await as('administrator', read('k8s/postgres/roles.sql'), 'restored');
    expect((await migrateLedger(urlOf('migrator', 'restored'))).length).toBeGreaterThan(0);
    await expect(as('gateway', 'SELECT FROM ledger.reservations', 'restored')).resolves.toEqual([]);
    await expect(as('dashboard', 'SELECT FROM ledger.reservations', 'restored')).rejects.toThrow('permission denied');
  });

  it('let the gateway and settlement call the reserving function, and nobody else', async () => {
    const may = `SELECT rolname FROM pg_roles, pg_proc p WHERE rolname LIKE 'paymaster\\_%' AND NOT rolsuper
      AND p.oid::regproc::text = 'ledger.reserve' AND has_function_privilege(rolname, p.oid, 'EXECUTE') ORDER BY 1`;
    expect(await as('administrator', may)).toEqual(
      ['paymaster_gateway', 'paymaster_migrator', 'paymaster_settlement'].map((rolname) => ({ rolname })),
    );
  });

  it.each([
    ['dashboard', 'CREATE TABLE dashboard.x (a int)', 'permission denied'],
    ['dashboard', 'SELECT FROM ledger.reservations', 'permission denied'],
    ['dashboard', 'ALTER TABLE dashboard.accounts DISABLE TRIGGER ALL', 'must be owner'],
    ['gateway', 'SELECT FROM dashboard.auth_tokens', 'permission denied'],
    ['gateway', 'TRUNCATE ledger.reservations', 'permission denied'],
    ['gateway', 'UPDATE ledger.entries SET amount = 0', 'append-only'],
    ['settlement', 'UPDATE ledger.entries SET amount = 0', 'append-only'],
    ['settlement', 'CREATE SCHEMA x', 'permission denied'],
    ['settlement', 'CREATE TABLE public.x (a int)', 'permission denied'],
    ['reader', 'DELETE FROM ledger.reservations', 'read-only transaction'],
    ['reader', 'SET default_transaction_read_only = off; COMMIT; DELETE FROM ledger.reservations', 'permission denied'],
    ['migrator', 'CREATE ROLE x', 'permission denied'],
  ])('do not let %s: %s', async (role, sql, message) => {
    await expect(as(role, sql)).rejects.toThrow(message);
  });
});
