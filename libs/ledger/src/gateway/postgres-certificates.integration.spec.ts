import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type Postgres } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { openLedger } from './open-ledger';
import { openSettlementBooks } from '../settlement';
import {
  aReserveRequest,
  createLedgerDatabase,
  seedChain,
  seedWallet,
  UNHURRIED,
  type LedgerDatabase,
} from '../testing';
import type { PostgresLedger } from './postgres-ledger';

const account = { chainId: 31337, contract: `0x${'c0'.repeat(20)}`, wallet: `0x${'77'.repeat(20)}` } as const;
const NOW = Math.floor(Date.now() / 1_000);

let folder: string;
let postgres: Postgres;
let database: LedgerDatabase;
let ledger: PostgresLedger;
let databaseUrl: string;
let books: ReturnType<typeof openSettlementBooks>;
/** Connects as the dashboard does. */
let dataSource: DataSource;

const file = (name: string) => join(folder, name);

/** An authority and its one certificate. */
function issue(name: string, host: string): void {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const files = ['-keyout', file(`${name}.key`), '-out', file(`${name}.crt`)];
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${host}`];
  execFileSync('openssl', ['req', '-x509', ...curve, ...files, ...names], { stdio: 'ignore' });
}

/** The authority that clients trust from their next connection on. */
function trust(...names: readonly string[]): void {
  writeFileSync(file('ca.crt'), names.map((name) => readFileSync(file(`${name}.crt`), 'utf8')).join(''));
}

/**
 * The server uses the certificate from its next connection on. The server writes the files itself, so that it owns
 * them.
 */
async function present(name: string): Promise<void> {
  for (const ending of ['crt', 'key']) {
    const lines = `regexp_split_to_table('${readFileSync(file(`${name}.${ending}`), 'utf8').trim()}', E'\\n')`;
    await database.pool.query(`COPY (SELECT ${lines}) TO PROGRAM 'umask 077; cat > server.${ending}'`);
  }
  await database.pool.query(`ALTER SYSTEM SET ssl = on`);
  await database.pool.query('SELECT pg_reload_conf()');
  const authority = readFileSync(file(`${name}.crt`), 'utf8');
  // This helper does not check the name; the tested clients have to.
  const ssl = { ca: authority, checkServerIdentity: () => undefined };
  await until(async () => {
    const client = new Client({ connectionString: database.url, ssl });
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  });
}

/** Ends every TLS connection, as a restart of the server does, so that clients open new ones. */
async function endConnections(): Promise<void> {
  await database.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_ssl WHERE ssl AND pid <> pg_backend_pid()`);
}

const reserve = () => ledger.reserve(aReserveRequest({ ...account, nowSeconds: NOW }));
const isWell = () =>
  Promise.all([reserve(), books.verifyBooks(), dataSource.query('SELECT 1')]).then(
    () => true,
    () => false,
  );

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'postgres-certificates-'));
  for (const name of ['first', 'second', 'stranger']) issue(name, 'IP:127.0.0.1');
  issue('elsewhere', 'DNS:elsewhere.example');
  postgres = await startPostgres();
  database = await createLedgerDatabase(postgres.url);
  await seedChain(database.pool, { chainId: account.chainId, headTimeSeconds: NOW });
  await seedWallet(database.pool, { ...account, spendableWei: 10n ** 18n });
  trust('first');
  await present('first');
  const url = new URL(database.url);
  url.searchParams.set('sslmode', 'verify-full');
  url.searchParams.set('sslrootcert', file('ca.crt'));
  databaseUrl = url.href;
  ledger = openLedger({ databaseUrl, ...UNHURRIED });
  books = openSettlementBooks({ databaseUrl });
  dataSource = new DataSource({ type: 'postgres', url: databaseUrl, poolErrorHandler: () => undefined });
  await dataSource.initialize();
});
afterAll(async () => {
  await ledger?.close();
  await books?.close();
  await dataSource?.destroy();
  await database?.drop();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

// One story: each part starts where the one before it ended.
describe('certificates of Postgres (B45)', () => {
  it('are replaced without a failed request, by an authority that is known', async () => {
    await until(isWell);
    let isRotated = false;
    const failures: unknown[] = [];
    const load = (async () => {
      let asked = 0;
      for (; !isRotated; asked++) await reserve().catch((error: unknown) => failures.push(error));
      return asked;
    })();
    trust('first', 'second');
    await present('second');
    isRotated = true;
    expect(await load).toBeGreaterThan(0);
    expect(failures).toEqual([]);
    trust('second');
    await endConnections();
    await until(isWell);
  });

  it('of an authority that nobody knows are believed once it is in the file, without a restart', async () => {
    await present('stranger');
    await endConnections();
    await until(async () => !ledger.isUp());
    expect(await isWell()).toBe(false);
    trust('second', 'stranger');
    await until(isWell);
  });

  it('are not believed under another host name, whichever authority has signed them', async () => {
    trust('elsewhere', 'stranger');
    await present('elsewhere');
    await endConnections();
    await until(async () => !ledger.isUp());
    await expect(new Client({ connectionString: databaseUrl }).connect()).rejects.toThrow("certificate's altnames");
    expect(await isWell()).toBe(false);
    await present('stranger');
    await until(isWell);
  });
});
