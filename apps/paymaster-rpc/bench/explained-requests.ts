import { createHash, randomBytes } from 'node:crypto';
import type { BenchPaymaster, BenchWorld } from './bench-world';
import type { BenchOptions } from './measurement';
import { requestBody, sponsoredOperations, wireOperation } from './sponsored-requests';
import { tablesOf, wideReads, type PlanLog, type StatementPlan } from './statement-plans';
import type { TenantWorld } from './tenant-world';
import { apiKeyOfTenant } from './tenants';

/** Tables of which a request must not read more than its rows. */
const LARGE_ROWS = 100_000;
/** How often everything is asked: the seventh time a prepared statement has settled on its plan. */
const TIMES = 8;
const SDK = '/api/v2/public/sdk';

/** Each of them has a statement among those seen, or too little was asked. */
const MUST_BE_READ = [
  ...['dashboard.paymasters', 'dashboard.former_api_keys', 'dashboard.smart_contracts'],
  ...['dashboard.policies', 'dashboard.tokens'],
  ...['dashboard.webhooks', 'dashboard.auth_tokens', 'dashboard.operations', 'ledger.wallets', 'ledger.budgets'],
  ...['ledger.reservations', 'ledger.holds', 'ledger.entries', 'ledger.outbox', 'ledger.cursors'],
];

/**
 * The other half of target 5: both apps, with a million paymasters, are asked everything that is asked often, and
 * Postgres says how it ran each of their statements (auto_explain), those inside of functions included. Nothing here
 * knows the statements: new ones are looked at too.
 *
 * @throws when a reply is wrong, or when plans are missing
 */
export async function explainRequests(
  world: BenchWorld,
  { tenants, planLog, options }: { tenants: TenantWorld; planLog: PlanLog; options: BenchOptions },
): Promise<void> {
  const { say, judge } = options;
  const { pool } = tenants;
  const authToken = await issueToken(tenants);
  await explainEverything(tenants);
  await tenants.restart();
  planLog.drain();
  for (let time = 0; time < TIMES; time++) await askEverything(world, { tenants, authToken, time });
  // Refusals are recorded in the background.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const plans = planLog.drain().filter((plan) => tablesOf(plan).length > 0);

  const { rows } = await pool.query<{ name: string }>(
    `SELECT t.schemaname || '.' || t.relname AS name FROM pg_stat_user_tables t JOIN pg_class c ON c.oid = t.relid
      WHERE c.reltuples >= ${LARGE_ROWS}`,
  );
  const large = new Set(rows.map(({ name }) => name));
  const read = new Set(plans.flatMap(tablesOf));
  const missing = MUST_BE_READ.filter((table) => !read.has(table));
  if (missing.length > 0) throw new Error(`no plan was seen that reads ${missing.join(', ')}`);
  const wide = plans.flatMap((plan) => wideReads(plan, large));
  for (const { statement, table, by, rows: count } of distinct(wide))
    say(`   ${by} of ${table}, ${count} rows: ${statement.replace(/\s+/g, ' ').slice(0, 300)}`);
  const statements = new Set(plans.map(({ statement }: StatementPlan) => statement)).size;
  say(
    `plans of ${plans.length} executions of ${statements} statements; ${large.size} tables have ${LARGE_ROWS} rows or more; unreadable: ${planLog.unreadable}`,
  );
  judge({
    target: 5,
    what: 'scans of large tables in hot statements',
    ...{ value: String(wide.length), bound: '0', met: wide.length === 0 },
  });
}

async function explainEverything({ pool }: TenantWorld): Promise<void> {
  const { rows } = await pool.query<{ name: string }>('SELECT current_database() AS name');
  for (const setting of [
    `session_preload_libraries = 'auto_explain'`,
    ...[`log_min_duration = 0`, `log_format = 'json'`, `log_nested_statements = on`, `log_verbose = on`].map(
      (each) => `auto_explain.${each}`,
    ),
    ...[`log_analyze = on`, `log_timing = off`, `log_parameter_max_length = 0`].map((each) => `auto_explain.${each}`),
  ])
    await pool.query(`ALTER DATABASE ${rows[0]!.name} SET ${setting}`);
}

/** One after the other, so that Postgres writes one plan at a time. */
async function askEverything(
  world: BenchWorld,
  { tenants, authToken, time }: { tenants: TenantWorld; authToken: string; time: number },
): Promise<void> {
  // One that no copy is of, among those whose account the token is for.
  const index = time + 1;
  const paymaster = tenants.tenant(index);
  const [operation, refused] = sponsoredOperations(2, world.demo, world.senders);
  const unknownMethod = sponsoredOperations(1, { ...world.demo, selector: '0xdeadbeef' }, world.senders)[0]!;
  const sponsor = requestBody(operation!);
  const explain = JSON.parse(sponsor) as { method: string; params: unknown[] };
  const rpc = (method: string, params: unknown): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const stub = { ...wireOperation(operation!), nonce: '0x77' };
  const entryPoint = '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789';
  await post(tenants, { paymaster, body: sponsor, wanted: /"paymasterAndData":"0x/ });
  await post(tenants, { paymaster, body: sponsor, wanted: /"paymasterAndData":"0x/ });
  await post(tenants, { paymaster, body: rpc('pm_explain', explain.params), wanted: /"result"/ });
  await post(tenants, {
    paymaster,
    body: rpc('pm_getPaymasterStubData', [stub, entryPoint, '0x7a69', {}]),
    wanted: /"paymasterAndData":"0x/,
  });
  await post(tenants, { paymaster, body: requestBody(unknownMethod), wanted: /METHOD_NOT_WHITELISTED/ });
  await post(tenants, {
    paymaster: { ...paymaster, path: paymaster.path.replace(/[^/]*$/, apiKeyOfTenant(tenants.count + time)) },
    body: requestBody(refused!),
    wanted: /INVALID_API_KEY/,
  });

  const apiKey = apiKeyOfTenant(index);
  for (const path of ['/smart-contract', '/paymaster-policy', '/paymaster-settings', '/operation', '/usage'])
    await get(tenants, `${SDK}${path}`, { authToken, apiKey });
  // Shows every key of the account, which in this database cannot be decrypted.
  if (time === 0) await fetch(`http://127.0.0.1:${tenants.dashboard.port}${SDK}/paymaster`, { headers: { authToken } });
}

async function post(
  { gateway }: TenantWorld,
  { paymaster, body, wanted }: { paymaster: BenchPaymaster; body: string; wanted: RegExp },
): Promise<void> {
  const url = `http://127.0.0.1:${gateway.port}${paymaster.path}`;
  const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const text = await reply.text();
  if (!wanted.test(text)) throw new Error(`wrong reply: ${reply.status} ${text.slice(0, 500)}`);
}

async function get({ dashboard }: TenantWorld, path: string, headers: Record<string, string>): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${dashboard.port}${path}`, { headers });
  if (reply.status !== 200) throw new Error(`GET ${path}: ${reply.status} ${(await reply.text()).slice(0, 500)}`);
}

/** An auth token of the first account, as the dashboard stores them. */
async function issueToken({ pool }: TenantWorld): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  const checksum = createHash('sha256').update(`pm_auth_${secret}`).digest('base64url').slice(0, 6);
  const token = `pm_auth_${secret}${checksum}`;
  await pool.query(
    `INSERT INTO dashboard.auth_tokens (id, account_id, token_hash)
     VALUES (gen_random_uuid(), md5('account/0')::uuid, $1)`,
    [createHash('sha256').update(token).digest('hex')],
  );
  return token;
}

function distinct<T extends { statement: string; table: string }>(list: readonly T[]): readonly T[] {
  return [...new Map(list.map((each) => [`${each.table} ${each.statement}`, each])).values()];
}
