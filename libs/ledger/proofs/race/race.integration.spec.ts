import { openDatabase } from '@paymaster/devnet';
import type { Pool } from 'pg';
import { CREATE_RESERVE } from '../../src/schema/reserve.sql';
import { runRace, type RaceCounts, type RaceOptions, type RaceReport } from './run-race';

jest.setTimeout(900_000);

const SEED = Number(process.env['TEST_SEED']);
/** `npm run test:race` is the long form. */
const RESERVATIONS = Number(process.env['RACE_RESERVATIONS'] ?? 1_000);

/** In a database that no other race gets, because one that is broken stays broken. */
async function race(options: Pick<RaceOptions, 'reservations' | 'isEnough' | 'prepare'>): Promise<RaceReport> {
  const postgres = await openDatabase();
  try {
    return await runRace({ postgresUrl: postgres.url, seed: SEED, gateways: 4, ...options });
  } finally {
    await postgres.stop();
  }
}

/** What has not happened yet but must happen, so that the race proves something; the race continues until it has. */
function missing({ refused, killed, paused, ...counts }: RaceCounts): readonly string[] {
  const few = { landed: RESERVATIONS / 20, late: 3, reorgs: 2, foreignNonces: 2, looks: 10, unpaid: 3 };
  const exposure = ['TOKEN_EXPOSURE_CAP_REACHED', 'SENDER_BLOCKED_IN_TOKEN_MODE'];
  const kinds = ['wei', 'usd', 'live', 'liveOfSender', 'exact', ...exposure];
  return [
    ...Object.entries(few).flatMap(([what, least]) => (counts[what as keyof typeof few] < least ? [what] : [])),
    ...Object.entries(killed).flatMap(([role, count]) => (count === 0 ? [`a ${role} that is killed`] : [])),
    ...Object.entries(paused).flatMap(([role, count]) => (count === 0 ? [`a ${role} that is stopped`] : [])),
    ...kinds.flatMap((kind) => (refused[kind] === undefined ? [`a refusal by ${kind}`] : [])),
  ];
}

/** Breaks the ledger: takes one of its conditions away. */
const withoutCondition = (condition: string) => async (pool: Pool) => {
  const broken = CREATE_RESERVE.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION').replace(condition, 'false');
  expect(broken).toContain('false');
  expect(broken).not.toContain(condition);
  await pool.query(broken);
};

describe('gateways and settlements that are killed and stopped at random', () => {
  it(`pass no limit, settle what landed once, leave nothing open, and books that are right (seed ${SEED})`, async () => {
    const { findings, counts } = await race({
      reservations: RESERVATIONS,
      isEnough: (now) => missing(now).length === 0,
    });
    expect(findings.slice(0, 20)).toEqual([]);
    expect(missing(counts)).toEqual([]);
  });
});

describe('a ledger that does not keep a limit', () => {
  it('of a budget is found out', async () => {
    const { findings } = await race({
      reservations: 1_000,
      prepare: async (pool) => {
        await withoutCondition('used + needed > effective')(pool);
        // The last guard behind the function.
        await pool.query('ALTER TABLE ledger.budgets DROP CONSTRAINT budgets_check');
      },
    });
    expect(findings.map(({ what }) => what)).toContainEqual(expect.stringMatching(/^(event \d+, granted: )?budget /));
  });

  it('of a wallet is found out', async () => {
    const { findings } = await race({ reservations: 100_000, prepare: withoutCondition('added > w_free[w]') });
    expect(findings.map(({ what }) => what)).toContainEqual(expect.stringMatching(/^(wallet \d+|cover)$/));
  });
});
