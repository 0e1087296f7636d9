import { startPostgres, type Postgres } from '@paymaster/devnet';
import { openLedger } from '../open-ledger';
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
  watchOverruns,
  type LedgerDatabase,
} from '../testing';

jest.setTimeout(120_000);

const SEED = Number(process.env['TEST_SEED']);
const account = { chainId: 31337, contract: `0x${'c0'.repeat(20)}`, wallet: `0x${'77'.repeat(20)}` } as const;

let postgres: Postgres;
let database: LedgerDatabase;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  database = await createLedgerDatabase(postgres.url);
});
afterEach(() => database.drop());

const deadlocks = async () =>
  (
    await database.pool.query<{ n: string }>(
      'SELECT deadlocks AS n FROM pg_stat_database WHERE datname = current_database()',
    )
  ).rows[0]!.n;
const verify = () => openSettlementBooks({ pool: database.pool }).verifyBooks();

describe('a budget for exactly 137 operations', () => {
  it('grants exactly 137 to 8 gateways with 500 requests each', async () => {
    await seedChain(database.pool, { chainId: account.chainId });
    await seedWallet(database.pool, { ...account, spendableWei: 10n ** 18n });
    const gateways = Array.from({ length: 8 }, () =>
      openLedger({ databaseUrl: database.url, deadlineMs: 30_000, poolWaitMs: 20_000 }),
    );
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
    await Promise.all(gateways.map((gateway) => gateway.close()));
  });
});

describe('gateways that are killed and paused at random', () => {
  it(`pass no limit at any commit, sign nothing without a hold, and leave books that are right (seed ${SEED})`, async () => {
    const plan = makeRacePlan(SEED);
    await seedRace(database.pool, plan);
    // Deadlocks are found before anybody's deadline ends them.
    const { rows } = await database.pool.query<{ name: string }>('SELECT current_database() AS name');
    await database.pool.query(`ALTER DATABASE ${rows[0]!.name} SET deadlock_timeout = '20ms'`);
    const race = new RaceProcesses({ databaseUrl: database.url, plan, concurrency: 16 }, new Random(SEED));
    race.start(4);
    const disturbed = race.disturb(12_000);
    const { looks, findings } = await watchOverruns(database.pool, plan, disturbed, () =>
      releaseSome(database.pool, 5),
    ).finally(() => race.stop());

    expect(findings).toEqual([]);
    expect(await findOverruns(database.pool, plan)).toEqual([]);
    expect(await findUncovered(database.pool, race.signatures)).toEqual([]);
    expect(await verify()).toEqual([]);
    expect(await deadlocks()).toBe('0');
    // Postgres answered nothing but decisions; what else there is are the deadlines of paused processes.
    expect(race.faults.filter(({ code }) => code !== undefined)).toEqual([]);
    expect(race.faults.filter(({ message }) => !message.startsWith('the database does not answer'))).toEqual([]);
    expect(looks).toBeGreaterThan(50);
    expect(race.killed).toBeGreaterThan(0);
    expect(race.paused).toBeGreaterThan(0);
    expect(race.signatures.length).toBeGreaterThan(200);
  });
});
