import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { Client } from 'pg';

let postgres: TestDatabase;
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => postgres.stop());

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command as a process of its own. */
async function migrate({ args = [], databaseUrl = postgres.url }: { args?: string[]; databaseUrl?: string } = {}) {
  const cli = join(__dirname, 'migrate.cli.ts');
  const child = spawn(process.execPath, ['-r', '@swc-node/register', cli, ...args], {
    env: { PATH: process.env['PATH'], DATABASE_URL: databaseUrl },
    timeout: 300_000,
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, stdout, stderr } as Ended;
}

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
    const [first, second] = await Promise.all([migrate(), migrate()]);
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
