import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { sweepBudgets } from '../../src/janitor/sweep-budgets';
import { openSettlementBooks } from '../../src/settlement';
import { randomOf } from '../../src/settlement/testing/random';
import { createLedgerDatabase } from '../../src/testing/ledger-database';
import { ChainNode } from './chain-node';
import { checkBooks, checkTables } from './check-books';
import { checkChain } from './check-chain';
import { NOT_ANSWERED, type RaceSignature } from './process-talk';
import { RaceChain, type RaceChainCounts } from './race-chain';
import { RaceProcesses, type RaceFault } from './race-processes';
import { CHAIN_ID } from './race-world';
import { OutboxReplay } from './replay-outbox';
import { LimitWatch, writeLimits, type RaceFinding } from './watch-limits';

export interface RaceOptions {
  readonly postgresUrl: string;
  readonly seed: number;
  /** The race ends when this many operations have a reservation that a gateway has reported. */
  readonly reservations: number;
  /** The race also continues until this returns true. */
  readonly isEnough?: (counts: RaceCounts) => boolean;
  /** Gateways. Settlements are three: a leader and its standbys. */
  readonly gateways: number;
  /** Runs on the ledger's database before the race: tests of the checker break the ledger here. */
  readonly prepare?: (pool: Pool) => Promise<void>;
  /** Ends the race without a report. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (line: string) => void;
}

export interface RaceReport {
  /** All violations that were found. */
  readonly findings: readonly RaceFinding[];
  readonly counts: RaceCounts & {
    /** Grants, including those of repeated requests. */
    readonly grants: number;
    readonly seconds: number;
  };
}

/** What has happened. */
export interface RaceCounts extends RaceChainCounts {
  readonly reservations: number;
  readonly signatures: number;
  readonly refused: Readonly<Record<string, number>>;
  /** Requests that the database did not answer, because a process or the machine stood still. */
  readonly notAnswered: number;
  readonly killed: Readonly<Record<string, number>>;
  readonly paused: Readonly<Record<string, number>>;
  readonly looks: number;
}

/** Before the deadline of a request ends them. Holds for later connections. */
const REPORT_DEADLOCKS =
  "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = ''20ms''', current_database()); END $$";
const SETTLEMENTS = 3;
/** About as many blocks as make the ledger refuse with LEDGER_BEHIND. */
const FAR_AHEAD_BLOCKS = 70;
const BLOCK_EVERY_MS = 30;
const PROGRESS_EVERY_MS = 5_000;
/** The budget for a number of operations must have refused this often at the end. */
const ASKED_IN_VAIN = 50;
const SETTLED_WITHIN_MS = 300_000;
const STALLED_AFTER_MS = 180_000;
/**
 * Faults that are expected when a process was stopped or the machine's disk stalled: missed deadlines, broken
 * connections, and the breaker that opens then.
 */
const FAULT_OF_THE_WORLD = /does not answer|timeout|no connection was free in time|Connection terminated|ECONNRE/i;

/**
 * Gateways make random reservations under random limits, on a chain that behaves at random, and settlements settle
 * them. All of these processes are killed and stopped at random. At the end the race waits until everything is settled,
 * and checks the result.
 */
export async function runRace(options: RaceOptions): Promise<RaceReport> {
  const startedAt = Date.now();
  const { postgresUrl, seed, reservations, gateways, prepare, signal } = options;
  const { isEnough = () => true, onProgress = () => undefined } = options;
  const database = await createLedgerDatabase(postgresUrl);
  const { pool, url: databaseUrl } = database;
  const random = randomOf(seed);
  const chain = new RaceChain(random);
  const node = new ChainNode(chain.chain);
  const signatures: RaceSignature[] = [];
  const reserved = new Set<string>();
  const processes = new RaceProcesses(
    { databaseUrl, nodeUrl: await node.listen(), seed },
    randomOf(seed + 1),
    (given) => {
      grantedAt = Date.now();
      signatures.push(given);
      reserved.add(given.reservationId);
      chain.add(given);
    },
  );
  const watch = new LimitWatch(pool);
  const say = () => {
    const refused = Object.values(processes.refused).reduce((sum, count) => sum + count, 0);
    onProgress(
      `${reserved.size} reservations, ${signatures.length} signatures, ${refused} refused; ` +
        `block ${chain.chain.head.number}, ${chain.counts.landed} landed, ${chain.counts.reorgs} reorganisations; ` +
        `${total(processes.killed)} killed, ${total(processes.paused)} paused; ${watch.findings.length} findings`,
    );
  };
  const saying = setInterval(say, PROGRESS_EVERY_MS);
  let grantedAt = Date.now();
  const isStalled = () => Date.now() - grantedAt > STALLED_AFTER_MS;
  try {
    await pool.query(REPORT_DEADLOCKS);
    await writeLimits(pool, seed);
    await prepare?.(pool);
    processes.start('settlement', SETTLEMENTS);
    processes.start('gateway', gateways);

    const counts = (): RaceCounts => ({
      ...chain.counts,
      ...{ reservations: reserved.size, signatures: signatures.length, looks: watch.looks },
      ...answersOf(processes.refused),
      ...{ killed: processes.killed, paused: processes.paused },
    });
    const isReached = () =>
      reserved.size >= reservations && (processes.refused['exact'] ?? 0) >= ASKED_IN_VAIN && isEnough(counts());
    const isWrong = () => watch.findings.length + chain.broken.length > 0 || processes.faults.some(isUnexpected);
    const isRaced = () => isReached() || isWrong() || isStalled() || signal?.aborted === true;
    await until(
      () => processes.areReady() || isRaced(),
      () => sleep(50),
    );
    let isSettled = false;
    await Promise.all([
      until(isRaced, async () => {
        chain.advance();
        // On a busy machine the chain is slowed down too, so that settlement is behind only at times.
        const isFarAhead = Number(chain.chain.head.number) - watch.headNumber > FAR_AHEAD_BLOCKS;
        await sleep(isFarAhead ? 20 * BLOCK_EVERY_MS : BLOCK_EVERY_MS);
        // Gateways end at once; what runs beside them may sleep for a second yet.
      }).then(() => processes.stop('gateway')),
      until(isRaced, async () => {
        await sweepBudgets(pool);
        await sleep(1_000);
      }),
      processes.disturb(isRaced),
      watch.watch(isRaced),
    ]);
    signal?.throwIfAborted();
    const hasStalled = isStalled();
    chain.finish();
    const settled = until(
      () => isSettled,
      async () => {
        isSettled = await isAllFinal(pool, chain);
        await sleep(100);
      },
    );
    await Promise.race([settled, sleep(SETTLED_WITHIN_MS, undefined, { ref: false })]);
    const isInTime = isSettled;
    isSettled = true;
    await settled;
    await processes.stop();
    say();

    const replay = new OutboxReplay(chain.unpaid);
    await replay.run(pool);
    for (const signature of signatures) replay.checkSignature(signature);
    const books = openSettlementBooks({ pool });
    const findings = [
      ...watch.findings,
      ...chain.broken.map((found) => ({ what: 'cover', found })),
      ...processes.faults.filter(isUnexpected).map((fault) => ({ what: 'fault', found: JSON.stringify(fault) })),
      ...(hasStalled ? [{ what: 'gateways', found: `nothing granted for ${STALLED_AFTER_MS} ms` }] : []),
      ...(isInTime ? [] : [{ what: 'settlement', found: `not done after ${SETTLED_WITHIN_MS} ms` }]),
      ...replay.findings,
      ...(await checkBooks(pool)),
      ...(await checkTables(pool, replay)),
      ...(await checkChain(pool, chain.chain)),
      ...(await books.verifyBooks()).map(({ what, expected, found }) => ({ what, found: `${found}, not ${expected}` })),
      ...(await deadlocks(pool)),
    ];
    const seconds = Math.round((Date.now() - startedAt) / 1_000);
    return {
      findings,
      counts: { ...counts(), reservations: replay.reservations.size, grants: replay.grantCount, seconds },
    };
  } finally {
    clearInterval(saying);
    await processes.stop();
    await node.close();
    await database.drop();
  }
}

async function isAllFinal(pool: Pool, { chain }: RaceChain): Promise<boolean> {
  const { rows } = await pool.query<{ final: string; open: number }>(
    `SELECT (SELECT head_number FROM ledger.cursors WHERE chain_id = ${CHAIN_ID}) AS final,
            (SELECT count(*)::int FROM ledger.reservations WHERE closed_at IS NULL) AS open`,
  );
  return BigInt(rows[0]?.final ?? 0) === chain.head.number && rows[0]?.open === 0;
}

async function deadlocks(pool: Pool): Promise<readonly RaceFinding[]> {
  const { rows } = await pool.query<RaceFinding>(
    `SELECT 'deadlocks' AS what, deadlocks::text AS found FROM pg_stat_database
      WHERE datname = current_database() AND deadlocks > 0`,
  );
  return rows;
}

/**
 * Whether a fault shows that the ledger is wrong. An answer of Postgres must always be a decision. When Postgres does
 * not answer, the environment is at fault, and no limit is exceeded.
 */
export const isUnexpected = ({ message, cause }: Pick<RaceFault, 'message' | 'cause'>): boolean =>
  !FAULT_OF_THE_WORLD.test(`${message} ${cause}`);

/** Counts decisions and unanswered requests separately. */
function answersOf({ [NOT_ANSWERED]: notAnswered = 0, ...refused }: Readonly<Record<string, number>>) {
  return { refused, notAnswered };
}

async function until(isDone: () => boolean, step: () => Promise<void>): Promise<void> {
  while (!isDone()) await step();
}

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
