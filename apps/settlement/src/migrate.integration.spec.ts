import { Commands, openDatabase, type TestDatabase } from '@paymaster/devnet';
import { openSettlementBooks } from '@paymaster/ledger/settlement';
import { Pool } from 'pg';

const commands = new Commands(__dirname);
let postgres: TestDatabase;
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => Promise.all([commands.stop(), postgres.stop()]));

const migrate = () => commands.run('migrate.cli.ts', [], { DATABASE_URL: postgres.url });

describe('migrate', () => {
  it('makes the schema that the books need, and does nothing when it is there', async () => {
    expect(await migrate()).toMatchObject({ code: 0, stderr: '' });
    expect(await migrate()).toEqual({
      code: 0,
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
