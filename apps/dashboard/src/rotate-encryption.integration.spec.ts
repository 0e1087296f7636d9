import { Commands, type Ended } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import { Client } from 'pg';
import { ApiKeyCipher } from './platform/crypto/api-key-cipher';
import { ApiKeyVault } from './platform/crypto/api-key-vault';
import { INDEX_KEY, startDashboard, type DashboardUnderTest } from './testing/dashboard-under-test';
import { signedInMember } from './testing/people';
import { createPaymaster, type Keys } from './testing/requests';
import { seedPaymasters } from './testing/seed-paymasters';

const OLD_KEY = '22'.repeat(32);
const NEW_KEY = '33'.repeat(32);
const OLD = new ApiKeyCipher({ apiKeyEncryptionKey: OLD_KEY });
const NEW = new ApiKeyCipher({ apiKeyEncryptionKey: NEW_KEY });
/** So many that a run can be cut short in the middle. */
const ROWS = 1_000;
const COMMAND = 'rotate-encryption.cli.ts';

const commands = new Commands(__dirname);
let dashboard: DashboardUnderTest;
let client: Client;
let keys: Keys;
beforeAll(async () => {
  // A dashboard in the middle of a rotation: it writes with the new key and reads with both.
  const env = { API_KEY_ENCRYPTION_KEY: NEW_KEY, API_KEY_ENCRYPTION_KEYS_OLD: OLD_KEY };
  dashboard = await startDashboard({ env });
  client = new Client({ connectionString: dashboard.postgres.url });
  await client.connect();
  keys = await createPaymaster(dashboard);
});
afterAll(async () => {
  await Promise.all([client.end(), commands.stop()]);
  await dashboard.stop();
});

const env = () => ({
  DATABASE_URL: dashboard.postgres.url,
  API_KEY_ENCRYPTION_KEY: NEW_KEY,
  API_KEY_ENCRYPTION_KEYS_OLD: OLD_KEY,
});
const start = (args: string[], others: Record<string, string> = {}) =>
  commands.start(COMMAND, args, { ...env(), ...others });
const rotate = (args: string[] = [], others: Record<string, string> = {}): Promise<Ended> =>
  commands.run(COMMAND, args, { ...env(), ...others });

/** Paymasters of the account whose API keys lie there as before the rotation. */
async function seed(): Promise<void> {
  const vault = new ApiKeyVault({ apiKeyEncryptionKey: OLD_KEY, apiKeyIndexKey: INDEX_KEY });
  await seedPaymasters(client, ROWS, (apiKey, id) => ({
    index: vault.index(apiKey),
    ciphertext: vault.encrypt(apiKey, id),
  }));
}

/** How many rows a key opens. */
async function openedBy(cipher: ApiKeyCipher): Promise<number> {
  const { rows } = await client.query<{ id: string; ciphertext: string }>(
    'SELECT id, api_key_ciphertext AS ciphertext FROM dashboard.paymasters',
  );
  const opens = ({ id, ciphertext }: { id: string; ciphertext: string }): boolean => {
    try {
      return cipher.open(ciphertext, id).apiKey.length > 0;
    } catch {
      return false;
    }
  };
  return rows.filter(opens).length;
}

/** In this database, besides that which counts. */
async function statementsAtWork(): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`,
  );
  return rows[0]!.count;
}

describe('rotate-encryption', () => {
  it('encrypts every row again while the dashboard shows them all, and only once', async () => {
    await seed();
    expect((await rotate(['--check'])).stdout).toMatch(
      new RegExp(`Done: ${ROWS + 1} rows, 1 of the newest key, ${ROWS} left`),
    );
    expect(await openedBy(OLD)).toBe(ROWS);

    const { child, ended } = start(['--batch-size', '50']);
    let reads = 0;
    while (child.exitCode === null) {
      const answer = await dashboard.call({ method: 'GET', path: '/paymaster', authToken: keys.authToken });
      expect(answer.status).toBe(200);
      expect(answer.body.data).toHaveLength(ROWS + 1);
      reads++;
    }
    const first = await ended;
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(new RegExp(`500 of ${ROWS + 1} rows, \\d+ encrypted again\n`));
    expect(first.stdout).toMatch(new RegExp(`Done: ${ROWS + 1} rows, ${ROWS + 1} of the newest key, 0 left`));
    expect(reads).toBeGreaterThan(2);
    expect([await openedBy(OLD), await openedBy(NEW)]).toEqual([0, ROWS + 1]);

    // The old key is not needed any more.
    expect(await rotate(['--check'], { API_KEY_ENCRYPTION_KEYS_OLD: '' })).toMatchObject({ code: 0 });
    expect((await rotate()).stdout).toMatch(/ 0 encrypted again\n/);
  });

  it('goes on where a run was killed', async () => {
    await seed();
    const { child, ended } = start(['--batch-size', '1']);
    const isUnderWay = async () => (await openedBy(NEW)) > 20;
    while (!(await isUnderWay())) if (child.exitCode !== null) throw new Error(`it ended: ${(await ended).stderr}`);
    child.kill('SIGKILL');
    await ended;
    // Postgres finishes the statement that the run was at.
    await until(async () => (await statementsAtWork()) === 0, 'no statement at work');
    const left = await openedBy(OLD);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(ROWS);
    const again = await rotate();
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout).toMatch(new RegExp(` ${left} encrypted again\n`));
    expect([await openedBy(OLD), await openedBy(NEW)]).toEqual([0, ROWS + 1]);
  });

  it('encrypts former API keys again too', async () => {
    await client.query(`DELETE FROM dashboard.paymasters WHERE name LIKE 'row %'`);
    const { body } = await dashboard.call({ method: 'POST', path: '/paymaster/rotate-key', ...keys });
    const paymasterId = String(body.data?.['paymasterId']);
    await client.query('UPDATE dashboard.former_api_keys SET api_key_ciphertext = $1', [
      OLD.encrypt(keys.apiKey, paymasterId),
    ]);
    expect(await rotate(['--check'])).toMatchObject({ code: 1, stdout: expect.stringContaining('Done: 2 rows, 1 of') });
    expect(await rotate()).toMatchObject({ code: 0, stderr: '' });
    const { rows } = await client.query<{ ciphertext: string }>(
      'SELECT api_key_ciphertext AS ciphertext FROM dashboard.former_api_keys',
    );
    expect(rows.map(({ ciphertext }) => NEW.open(ciphertext, paymasterId).apiKey)).toEqual([keys.apiKey]);
    await client.query('DELETE FROM dashboard.former_api_keys');
  });

  it('encrypts secrets of second factors again too', async () => {
    const { personId } = await signedInMember(dashboard, 'The account', 'owner');
    await client.query(
      `INSERT INTO dashboard.second_factors (id, person_id, secret_ciphertext) VALUES (gen_random_uuid(), $1, $2)`,
      [personId, OLD.encrypt('JBSWY3DPEHPK3PXP', personId)],
    );
    expect(await rotate()).toMatchObject({ code: 0, stderr: '' });
    const { rows } = await client.query<{ ciphertext: string }>(
      'DELETE FROM dashboard.second_factors RETURNING secret_ciphertext AS ciphertext',
    );
    expect(rows.map(({ ciphertext }) => NEW.open(ciphertext, personId).apiKey)).toEqual(['JBSWY3DPEHPK3PXP']);
  });

  it('names what no key opens, leaves it as it is, and says nothing of keys', async () => {
    await client.query(`DELETE FROM dashboard.paymasters WHERE name LIKE 'row %'`);
    const ended = await start([], { API_KEY_ENCRYPTION_KEY: '44'.repeat(32) }).ended;
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/^A secret of paymaster [0-9a-f-]{36} is opened by no key\.\n$/);
    for (const secret of [keys.apiKey, OLD_KEY, NEW_KEY, '44'.repeat(32)]) {
      expect(ended.stdout + ended.stderr).not.toContain(secret);
    }
    expect(await openedBy(NEW)).toBe(1);
  });

  it('refuses a wrong command with its help', async () => {
    const ended = await rotate(['--batch-size', '0']);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('--batch-size N');
  });
});
