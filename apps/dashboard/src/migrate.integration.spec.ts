import { Commands, openDatabase, type TestDatabase } from '@paymaster/devnet';
import { Client } from 'pg';

const COMMAND = 'migrate.cli.ts';
const commands = new Commands(__dirname);
let postgres: TestDatabase;
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => Promise.all([commands.stop(), postgres.stop()]));

const migrate = ({ args = [], databaseUrl = postgres.url }: { args?: string[]; databaseUrl?: string } = {}) =>
  commands.run(COMMAND, args, { DATABASE_URL: databaseUrl });

async function query<T>(sql: string): Promise<T[]> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as T[];
  } finally {
    await client.end();
  }
}

describe('migrate', () => {
  it('makes the schema once when several start together, and does nothing when it is there', async () => {
    const start = () => commands.start(COMMAND, [], { DATABASE_URL: postgres.url }).ended;
    const [first, second] = await Promise.all([start(), start()]);
    expect([first.code, second.code, first.stderr, second.stderr]).toEqual([0, 0, '', '']);
    const rows = await query<{ count: number }>('SELECT count(*)::int AS count FROM dashboard.migrations');
    const ran = [first, second].map(({ stdout }) => Number(/migrations that ran: (\d+)/.exec(stdout)?.[1])).sort();
    expect(ran).toEqual([0, rows[0]?.count]);

    const third = await migrate();
    expect(third).toEqual({
      code: 0,
      stdout: 'The schema dashboard is at its newest version; migrations that ran: 0.\n',
      stderr: '',
    });
  });

  it('changes nothing and says why when the database cannot be reached, without the password', async () => {
    const ended = await migrate({ databaseUrl: 'postgres://user:canary@127.0.0.1:1/none' });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/^The schema dashboard is not migrated\. .*ECONNREFUSED/);
    expect(ended.stderr).not.toContain('canary');
  });

  it('names the variable that is missing', async () => {
    const ended = await migrate({ databaseUrl: '' });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('DATABASE_URL');
  });

  it('refuses what it does not know with its help, which --help prints too', async () => {
    const refused = await migrate({ args: ['--down'] });
    const helped = await migrate({ args: ['--help'] });
    expect([refused.code, helped.code]).toEqual([2, 0]);
    expect(refused.stderr).toContain("'--down'");
    expect(refused.stderr).toContain(helped.stdout);
  });
});
