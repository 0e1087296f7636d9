import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { openLedger } from './open-ledger';
import { openSettlementBooks } from '../settlement';
import {
  aBudgetClaim,
  aReserveRequest,
  createLedgerDatabase,
  findOverruns,
  findUncovered,
  makeRacePlan,
  RaceProcesses,
  Random,
  releaseSome,
  seedChain,
  seedRace,
  seedWallet,
  UNHURRIED,
  watchOverruns,
  type LedgerDatabase,
  type RaceFault,
} from '../testing';

/** The race ends when enough has happened, or after this time. */
const ENOUGH = { lookedAt: 50, signatures: 1_000, killed: 3, paused: 5 };
const AT_MOST_MS = 200_000;
const STATEMENT_TIMEOUT = '57014';
const SEED = Number(process.env['TEST_SEED']);
const account = { chainId: 31337, contract: `0x${'c0'.repeat(20)}`, wallet: `0x${'77'.repeat(20)}` } as const;

let postgres: TestDatabase;
let database: LedgerDatabase;
let closers: Array<() => Promise<void>>;
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  closers = [];
  database = await createLedgerDatabase(postgres.url);
});
afterEach(async () => {
  await Promise.all(closers.map((close) => close()));
  await database.drop();
});

const deadlocks = async () =>
  (
    await database.pool.query<{ n: string }>(
      'SELECT deadlocks AS n FROM pg_stat_database WHERE datname = current_database()',
    )
  ).rows[0]!.n;
/** A deadline was missed: a process was paused, or the machine is busy. */
const isDeadline = ({ message, code, cause }: RaceFault) =>
  message.startsWith('the database does not answer') ||
  code === STATEMENT_TIMEOUT ||
  cause.includes('timeout exceeded when trying to connect');
const verify = () => openSettlementBooks({ pool: database.pool }).verifyBooks();

describe('a budget for exactly 137 operations', () => {
  it('grants exactly 137 to 8 gateways with 500 requests each', async () => {
    await seedChain(database.pool, { chainId: account.chainId });
    await seedWallet(database.pool, { ...account, spendableWei: 10n ** 18n });
    const gateways = Array.from({ length: 8 }, () =>
      openLedger({ databaseUrl: database.url, ...UNHURRIED, deadlineMs: 200_000 }),
    );
    closers = gateways.map((gateway) => () => gateway.close());
    const claims = [aBudgetClaim({ key: 'k', limit: 137n })];
    const outcomes = await Promise.all(
      gateways.flatMap((gateway) =>
        Array.from({ length: 500 }, () =>
          gateway.reserve(aReserveRequest({ ...account, claims })).then(
            () => 'granted',
            (error: { reason: string }) => error.reason,
          ),
        ),
      ),
    );
    const counts = Object.fromEntries(
      [...new Set(outcomes)].map((each) => [each, outcomes.filter((o) => o === each).length]),
    );
    expect(counts).toEqual({ granted: 137, SPENDING_LIMIT_REACHED: 3_863 });
    const { rows } = await database.pool.query('SELECT count(*)::int AS n FROM ledger.reservations');
    expect(rows).toEqual([{ n: 137 }]);
  });
});

describe('gateways that are killed and paused at random', () => {
  it(`pass no limit at any commit, sign nothing without a hold, and leave books that are right (seed ${SEED})`, async () => {
    const plan = makeRacePlan(SEED);
    await seedRace(database.pool, plan);
    // Postgres reports deadlocks before the deadline of a request ends them.
    const { rows } = await database.pool.query<{ name: string }>('SELECT current_database() AS name');
    await database.pool.query(`ALTER DATABASE ${rows[0]!.name} SET deadlock_timeout = '20ms'`);
    const race = new RaceProcesses({ databaseUrl: database.url, plan, concurrency: 16 }, new Random(SEED));
    closers = [() => race.stop()];
    race.start(4);
    let lookedAt = 0;
    const seen = () => ({ lookedAt, signatures: race.signatures.length, killed: race.killed, paused: race.paused });
    const missing = () => Object.keys(ENOUGH).filter((what) => seen()[what as Seen] < ENOUGH[what as Seen]);
    const end = Date.now() + AT_MOST_MS;
    const disturbed = race.disturb(() => missing().length === 0 || Date.now() > end);
    const findings = await watchOverruns(database.pool, plan, disturbed, (looks) => {
      lookedAt = looks;
      return releaseSome(database.pool, 5);
    });
    await race.stop();

    expect(findings).toEqual([]);
    expect(await findOverruns(database.pool, plan)).toEqual([]);
    expect(await findUncovered(database.pool, race.signatures)).toEqual([]);
    expect(await verify()).toEqual([]);
    expect(await deadlocks()).toBe('0');
    // Every answer of Postgres was a decision, and none an error.
    expect(race.faults.filter((fault) => !isDeadline(fault))).toEqual([]);
    expect(missing()).toEqual([]);
  });
});

type Seen = keyof typeof ENOUGH;
