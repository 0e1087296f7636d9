import { startPostgres, type Postgres } from '@paymaster/devnet';
import type { Pool } from 'pg';
import { CREATE_RESERVE } from '../schema/reserve.sql';
import { runRace } from './run-race';

jest.setTimeout(600_000);

const SEED = Number(process.env['TEST_SEED']);
/** `npm run test:race` is the long form. */
const RESERVATIONS = Number(process.env['RACE_RESERVATIONS'] ?? 5_000);

let postgres: Postgres;
beforeAll(async () => (postgres = await startPostgres()));
afterAll(() => postgres.stop());

const race = (options: { reservations: number; prepare?: (pool: Pool) => Promise<void> }) =>
  runRace({ postgresUrl: postgres.url, seed: SEED, gateways: 4, ...options });

/** The ledger without one of its conditions. */
const withoutCondition = (condition: string) => async (pool: Pool) => {
  const broken = CREATE_RESERVE.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION').replace(condition, 'false');
  expect(broken).toContain('false');
  expect(broken).not.toContain(condition);
  await pool.query(broken);
};

describe('gateways and settlements that are killed and stopped at random', () => {
  it(`pass no limit, settle what landed once, leave nothing open, and books that are right (seed ${SEED})`, async () => {
    const { findings, counts } = await race({ reservations: RESERVATIONS });
    expect(findings.slice(0, 20)).toEqual([]);
    const few = {
      reservations: RESERVATIONS,
      landed: RESERVATIONS / 20,
      late: 3,
      reorgs: 2,
      foreignNonces: 2,
      looks: 10,
    };
    expect(Object.entries(few).filter(([what, least]) => counts[what as keyof typeof few] < least)).toEqual([]);
    expect(Math.min(...Object.values(counts.killed), ...Object.values(counts.paused))).toBeGreaterThan(0);
    expect(Object.keys(counts.refused)).toEqual(
      expect.arrayContaining(['wei', 'usd', 'live', 'liveOfSender', 'exact']),
    );
  });
});

describe('a ledger that does not keep a limit', () => {
  it('of a budget is found out', async () => {
    const { findings } = await race({
      reservations: 1_000,
      prepare: async (pool) => {
        await withoutCondition('b_used[b] + c_added[c] > effective')(pool);
        // The last guard behind the function.
        await pool.query('ALTER TABLE ledger.budgets DROP CONSTRAINT budgets_check');
      },
    });
    expect(findings.map(({ what }) => what)).toContainEqual(expect.stringMatching(/^budget .+ under \d+$/));
  });

  it('of a wallet is found out', async () => {
    const { findings } = await race({ reservations: 100_000, prepare: withoutCondition('added > w_free[w]') });
    expect(findings.map(({ what }) => what)).toContainEqual(expect.stringMatching(/^(wallet \d+|cover)$/));
  });
});
