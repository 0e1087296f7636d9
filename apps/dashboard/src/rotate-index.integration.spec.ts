import { setTimeout as sleep } from 'node:timers/promises';
import { Commands, type Ended } from '@paymaster/devnet';
import { apiKeyIndex } from '@paymaster/messaging';
import { Client } from 'pg';
import { generateApiKey } from './platform/crypto/api-key';
import { ApiKeyCipher } from './platform/crypto/api-key-cipher';
import { startDashboard, type DashboardUnderTest } from './testing/dashboard-under-test';
import { createPaymaster, type Keys } from './testing/requests';
import { seedPaymasters } from './testing/seed-paymasters';

const OLD_KEY = '55'.repeat(32);
const NEW_KEY = '66'.repeat(32);
const ENCRYPTION_KEY = '22'.repeat(32);
const CIPHER = new ApiKeyCipher({ apiKeyEncryptionKey: ENCRYPTION_KEY });
/** So many that a run can be cut short in the middle. */
const ROWS = 1_000;
const COMMAND = 'rotate-index.cli.ts';

const commands = new Commands(__dirname);
let dashboard: DashboardUnderTest;
let client: Client;
let keys: Keys;
let formerKey: string;
let seeded: string[];
beforeAll(async () => {
  // A dashboard in the middle of a rotation: it writes under the new key and looks under both.
  dashboard = await startDashboard({ env: { API_KEY_INDEX_KEY: NEW_KEY, API_KEY_INDEX_KEYS_OLD: OLD_KEY } });
  client = new Client({ connectionString: dashboard.postgres.url });
  await client.connect();
  keys = await createPaymaster(dashboard);
  const { body } = await dashboard.call({ method: 'POST', path: '/paymaster/rotate-key', ...keys });
  keys = { ...keys, apiKey: String(body.data?.['apiKey']) };
  formerKey = await replaceFormerKey(String(body.data?.['paymasterId']));
});
beforeEach(seed);
afterAll(async () => {
  await Promise.all([client.end(), commands.stop()]);
  await dashboard.stop();
});

const env = () => ({
  DATABASE_URL: dashboard.postgres.url,
  API_KEY_INDEX_KEY: NEW_KEY,
  API_KEY_ENCRYPTION_KEY: ENCRYPTION_KEY,
});
const start = (args: string[], others: Record<string, string> = {}) =>
  commands.start(COMMAND, args, { ...env(), ...others });
const rotate = (args: string[] = [], others: Record<string, string> = {}): Promise<Ended> =>
  commands.run(COMMAND, args, { ...env(), ...others });

/** By one that moves to the end of the table's index while its own is replaced. */
async function replaceFormerKey(paymasterId: string): Promise<string> {
  let apiKey = generateApiKey();
  while (apiKeyIndex(apiKey, OLD_KEY) > apiKeyIndex(apiKey, NEW_KEY)) apiKey = generateApiKey();
  const ciphertext = CIPHER.encrypt(apiKey, paymasterId);
  await client.query('UPDATE dashboard.former_api_keys SET api_key_ciphertext = $1', [ciphertext]);
  return apiKey;
}

/** Paymasters of the account, and a former key, that lie there as before the rotation. */
async function seed(): Promise<void> {
  await client.query('UPDATE dashboard.former_api_keys SET api_key_index = $1', [apiKeyIndex(formerKey, OLD_KEY)]);
  seeded = await seedPaymasters(client, ROWS, (apiKey, id) => ({
    index: apiKeyIndex(apiKey, OLD_KEY),
    ciphertext: CIPHER.encrypt(apiKey, id),
  }));
}

/** How many of the API keys lie under their index of a key. */
async function liesUnder(indexKey: string): Promise<number> {
  const indexes = [...seeded, formerKey, keys.apiKey].map((apiKey) => apiKeyIndex(apiKey, indexKey));
  const { rowCount } = await client.query(
    `SELECT 1 FROM dashboard.paymasters WHERE api_key_index = ANY ($1)
     UNION ALL SELECT 1 FROM dashboard.former_api_keys WHERE api_key_index = ANY ($1)`,
    [indexes],
  );
  return rowCount ?? 0;
}

/** How many connections of the command Postgres serves; with `waiting`, those that wait for a row alone. */
async function connections({ waiting = false } = {}): Promise<number> {
  const { rowCount } = await client.query(
    `SELECT 1 FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'rotate-index' AND (wait_event_type = 'Lock' OR NOT $1)`,
    [waiting],
  );
  return rowCount ?? 0;
}

const isKnown = async (apiKey: string | undefined): Promise<boolean> =>
  (await dashboard.call({ method: 'GET', path: '/paymaster-settings', ...keys, apiKey: String(apiKey) })).status ===
  200;

describe('rotate-index', () => {
  it('puts every key under the new index while all of them work, and only once', async () => {
    const asked = await rotate(['--check']);
    expect(asked).toMatchObject({ code: 1, stderr: '' });
    expect(asked.stdout).toContain(`Done: ${ROWS + 2} rows, 1 of the newest key, ${ROWS + 1} left`);
    expect([await liesUnder(OLD_KEY), await liesUnder(NEW_KEY)]).toEqual([ROWS + 1, 1]);

    const { child, ended } = start(['--batch-size', '20']);
    for (let at = 0; child.exitCode === null; at = (at + 7) % ROWS) {
      expect(await Promise.all([seeded[at], formerKey, keys.apiKey].map(isKnown))).toEqual([true, true, true]);
    }
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
    expect((await ended).stdout).toContain(`Done: ${ROWS + 2} rows, ${ROWS + 2} of the newest key, 0 left`);
    expect([await liesUnder(OLD_KEY), await liesUnder(NEW_KEY)]).toEqual([0, ROWS + 2]);
    expect(await rotate(['--check'])).toMatchObject({ code: 0 });
  });

  it('goes on where a run was killed, and back to the key before', async () => {
    // A row that somebody holds keeps the command in the middle of its work until it is killed.
    const holder = new Client({ connectionString: dashboard.postgres.url });
    await holder.connect();
    await holder.query(
      `BEGIN; SELECT FROM dashboard.paymasters WHERE id =
         (SELECT id FROM dashboard.paymasters WHERE name LIKE 'row %' ORDER BY id OFFSET ${ROWS / 2} LIMIT 1) FOR UPDATE`,
    );
    const { child, ended } = start(['--batch-size', '1']);
    try {
      while ((await connections({ waiting: true })) === 0) {
        if (child.exitCode !== null) throw new Error(`it ended: ${(await ended).stderr}`);
        await sleep(10);
      }
      child.kill('SIGKILL');
      await ended;
    } finally {
      await holder.end();
    }
    // Postgres still carries out the statement that it had received.
    while ((await connections()) > 0) await sleep(10);
    const left = await liesUnder(OLD_KEY);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(ROWS);
    expect((await rotate()).stdout).toContain(` ${left} put under the newest key\n`);
    expect(await liesUnder(NEW_KEY)).toBe(ROWS + 2);
    expect(await rotate([], { API_KEY_INDEX_KEY: OLD_KEY })).toMatchObject({ code: 0 });
    expect(await liesUnder(OLD_KEY)).toBe(ROWS + 2);
  });

  it('names what no encryption key opens, leaves it as it is, and says nothing of keys', async () => {
    await client.query(`DELETE FROM dashboard.paymasters WHERE name LIKE 'row %' AND api_key_index <> $1`, [
      apiKeyIndex(String(seeded[0]), OLD_KEY),
    ]);
    const ended = await start([], { API_KEY_ENCRYPTION_KEY: '44'.repeat(32) }).ended;
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/^(A secret of paymaster [0-9a-f-]{36} is opened by no key\.\n){3}$/);
    for (const secret of [...seeded, formerKey, keys.apiKey, OLD_KEY, NEW_KEY, ENCRYPTION_KEY, '44'.repeat(32)]) {
      expect(ended.stdout + ended.stderr).not.toContain(secret);
    }
    expect(await liesUnder(OLD_KEY)).toBeGreaterThan(1);
  });

  it('refuses a wrong command with its help', async () => {
    const ended = await rotate(['--batch-size', '0']);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('Puts every API key in the database');
  });
});
