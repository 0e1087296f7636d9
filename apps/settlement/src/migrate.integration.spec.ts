import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { openSettlementBooks } from '@paymaster/ledger/settlement';
import { Pool } from 'pg';

let postgres: TestDatabase;
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => postgres.stop());

/** The command as a process of its own, which knows the database and nothing else. */
function migrate() {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['-r', '@swc-node/register', join(__dirname, 'migrate.cli.ts')],
    {
      encoding: 'utf8',
      timeout: 300_000,
      env: { PATH: process.env['PATH'], DATABASE_URL: postgres.url },
    },
  );
  return { status, stdout, stderr };
}

describe('migrate', () => {
  it('makes the schema that the books need, and does nothing when it is there', async () => {
    expect(migrate()).toMatchObject({ status: 0, stderr: '' });
    expect(migrate()).toEqual({
      status: 0,
      stdout: 'The schema ledger is at its newest version; migrations that ran: 0.\n',
      stderr: '',
    });
    const pool = new Pool({ connectionString: postgres.url });
    // A pool has ended before its connections have, and the server may end first.
    pool.on('error', () => undefined);
    try {
      const books = openSettlementBooks({ pool, onFinding: () => undefined });
      expect(await books.verifyBooks()).toEqual([]);
    } finally {
      await pool.end();
    }
  });
});
