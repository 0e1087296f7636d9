import { chromiumBinary, readStack } from '@paymaster/devnet';
import { Pool } from 'pg';
import { chromium, type CDPSession, type Page } from 'playwright-core';
import { emptyPaymaster } from '../src/support/empty-paymaster';
import { signIn } from '../src/support/sign-in';

const OPERATIONS = Number(process.env['BENCH_OPERATIONS'] ?? 100_000);
const LEAST_PER_SECOND = 50;
const MOST_ADDED_MB = 50;
/** A transaction that counts many of them towards the same usage gets slower with each. */
const PER_STATEMENT = 500;
/** What one turn of the wheel scrolls. */
const WHEEL_PX = 1_200;
/** A way that takes longer has come to a stop. */
const LONGEST_MS = 15 * 60_000;
/** How often the memory is looked at on the way. */
const PARTS = 10;

/** Notes when each frame is drawn; milliseconds. */
const WATCH_FRAMES = `
  globalThis.framesAtMs = [];
  requestAnimationFrame(function watch(atMs) { framesAtMs.push(atMs); requestAnimationFrame(watch); })`;
const TAKE_FRAMES = 'framesAtMs.splice(0)';
/** Rows in the document: how many there are, and the places of the first and the last in the list. */
const ROWS = `
  (([...rows]) => ({ count: rows.length, first: Number(rows[0]?.ariaRowIndex), last: Number(rows.at(-1)?.ariaRowIndex) }))(
    document.querySelectorAll('[role=table] [role=row]:not(:has([role=columnheader])):not([aria-busy])'))`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Scrolls with the wheel through the list of 100,000 operations, down all its pages and up again, and says how many
 * frames a second the browser draws meanwhile, and how much memory of scripts the page holds.
 *
 * @throws when a row is not reached
 */
async function main(): Promise<void> {
  const { databaseUrl, dashboard } = readStack();
  const { account } = await emptyPaymaster();
  const browser = await chromium.launch({
    executablePath: await chromiumBinary(),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  try {
    const context = await browser.newContext({ baseURL: dashboard, viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    const home = await signIn(page, { account });
    await fill(databaseUrl, home.split('/p/')[1] ?? '');
    const devtools = await context.newCDPSession(page);
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(`${home}/operations`);
    await page.getByRole('row').nth(5).waitFor();
    await page.mouse.move(640, 600);
    const atFirstMb = await heapMb(devtools);
    const onTheWay = [...(await scroll(page, devtools, 'down')), ...(await scroll(page, devtools, 'up'))];
    const addedMb = Math.max(...onTheWay) - atFirstMb;
    say(
      `memory of scripts, MB: ${atFirstMb.toFixed(0)} at first, then ${onTheWay.map((mb) => mb.toFixed(0)).join(' ')}`,
    );
    say(`added at most ${addedMb.toFixed(0)} MB, target <= ${MOST_ADDED_MB}: ${mark(addedMb <= MOST_ADDED_MB)}`);
  } finally {
    await browser.close();
  }
}

/** Copies what the local world's own operations became, until the paymaster has so many. */
async function fill(databaseUrl: string, paymasterId: string): Promise<void> {
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  const hash = (what: string) => `'0x' || encode(sha256(('${what} ' || n)::bytea), 'hex')`;
  try {
    for (let from = 1; from <= OPERATIONS; from += PER_STATEMENT) {
      const { rowCount } = await pool.query(
        `WITH real AS (SELECT *, row_number() OVER () - 1 AS at, count(*) OVER () AS all_of_them FROM dashboard.operations
                        WHERE trace IS NOT NULL AND paymaster_id <> $1)
         INSERT INTO dashboard.operations
           (id, paymaster_id, chain_id, state, mode, sender, nonce, entry_point_version, request_id, grants, policy_id,
            policy_version, reason, message, details, targets, trace, funding_wallet, expected_cost_wei, valid_until,
            actual_cost_wei, gas_cost_wei, success, user_op_hash, transaction_hash, block_number, void_reason, created_at,
            updated_at)
         SELECT gen_random_uuid(), $1, chain_id, state, mode, left(${hash('sender')}, 42), n, entry_point_version,
                gen_random_uuid(), grants, policy_id, policy_version, reason, message, details, targets, trace,
                funding_wallet, expected_cost_wei, valid_until, actual_cost_wei, gas_cost_wei, success,
                ${hash('operation')}, ${hash('transaction')}, block_number, void_reason,
                now() - n * interval '1 second', now()
           FROM generate_series($2::int, $3::int) n JOIN real ON real.at = n % all_of_them`,
        [paymasterId, from, Math.min(OPERATIONS, from + PER_STATEMENT - 1)],
      );
      if (!rowCount) throw new Error('the local world has no operation to copy');
    }
    await pool.query('ANALYZE dashboard.operations');
  } finally {
    await pool.end();
  }
}

/** @returns the memory of scripts at each tenth of the way; MB */
async function scroll(page: Page, devtools: CDPSession, way: 'down' | 'up'): Promise<readonly number[]> {
  const intervalsMs: number[] = [];
  const heap: number[] = [];
  let mostRows = 0;
  const busyBefore = await busySeconds(devtools);
  const startedMs = performance.now();
  for (let part = 1; part <= PARTS; part++) {
    // The first row of the table is its head.
    const goal = 1 + Math.max(1, Math.round((OPERATIONS * (way === 'down' ? part : PARTS - part)) / PARTS));
    await page.evaluate(part === 1 && way === 'down' ? WATCH_FRAMES : TAKE_FRAMES);
    for (;;) {
      await page.mouse.wheel(0, way === 'down' ? WHEEL_PX : -WHEEL_PX);
      const rows = await page.evaluate<{ count: number; first: number; last: number }>(ROWS);
      mostRows = Math.max(mostRows, rows.count);
      if (way === 'down' ? rows.last >= goal : rows.first <= goal) break;
      if (performance.now() - startedMs > LONGEST_MS)
        throw new Error(`row ${goal} was not reached: ${JSON.stringify(rows)}`);
    }
    const atMs = await page.evaluate<number[]>(TAKE_FRAMES);
    intervalsMs.push(...atMs.slice(1).map((ms, index) => ms - (atMs[index] ?? ms)));
    heap.push(await heapMb(devtools));
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  const busyMs = 1_000 * ((await busySeconds(devtools)) - busyBefore);
  const sorted = intervalsMs.sort((one, other) => one - other);
  const at = (percent: number) => sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? NaN;
  const perSecond = (1_000 * sorted.length) / sorted.reduce((sum, ms) => sum + ms, 0);
  say(`${way}: ${OPERATIONS} rows in ${seconds.toFixed(0)} s, at most ${mostRows} of them in the document`);
  say(
    `  frame, ms: median ${at(50).toFixed(1)}, p95 ${at(95).toFixed(1)}, p99 ${at(99).toFixed(1)}, longest ${at(100).toFixed(0)}`,
  );
  say(
    `  CPU of the page, ms: ${(busyMs / sorted.length).toFixed(1)} a frame, ${(busyMs / OPERATIONS).toFixed(2)} a row`,
  );
  say(
    `  ${perSecond.toFixed(1)} frames a second, target >= ${LEAST_PER_SECOND}: ${mark(perSecond >= LEAST_PER_SECOND)}`,
  );
  return heap;
}

/** CPU of the thread that scripts and layout run on, collections that the measurement asks for with it. */
async function busySeconds(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN;
}

/** What scripts hold after a collection. */
async function heapMb(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  return usedSize / 2 ** 20;
}

const mark = (isMet: boolean): string => (isMet ? 'met' : 'MISSED');

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(2);
  },
);
