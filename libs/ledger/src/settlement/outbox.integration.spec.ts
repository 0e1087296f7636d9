import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { CHAIN_ID, openBooksUnderTest, type BooksUnderTest } from './testing/books-under-test';

const HOUR_MS = 3_600_000;

let postgres: TestDatabase;
let under: BooksUnderTest;
beforeAll(async () => (postgres = await openDatabase()));
afterAll(() => postgres.stop());
beforeEach(async () => (under = await openBooksUnderTest(postgres.url)));
afterEach(() => under.stop());

async function write(count: number): Promise<void> {
  await under.pool.query(
    `INSERT INTO ledger.outbox (kind, chain_id, paymaster_id, payload)
     SELECT 'walletChanged', $2, NULL, jsonb_build_object('fundingWallet', n::text) FROM generate_series(1, $1) AS n`,
    [count, CHAIN_ID],
  );
}

/** The clock for claims. */
async function minutesPass(minutes: number): Promise<void> {
  await under.pool.query(`UPDATE ledger.outbox SET claimed_until = claimed_until - $1 * interval '1 minute'`, [
    minutes,
  ]);
}

describe('the outbox', () => {
  it('gives every event to one of several publishers, with the id and time of its row', async () => {
    await write(1_000);
    const taken = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const mine = [];
        for (;;) {
          const events = await under.books.outbox.takeUnpublished({ limit: 70, claimMs: HOUR_MS });
          if (events.length === 0) return mine;
          mine.push(...events);
          await under.books.outbox.markPublished(events.map(({ id }) => id));
        }
      }),
    );
    const events = taken.flat().map(({ event }) => event);
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(1_000);
    expect(events).toHaveLength(1_000);
    expect(events[0]).toMatchObject({ kind: 'walletChanged', chainId: CHAIN_ID, paymasterId: null });
    expect(Math.abs(events[0]!.atMs - Date.now())).toBeLessThan(60_000);
  });

  it('keeps the order of writing for one publisher', async () => {
    await write(500);
    const events = await under.books.outbox.takeUnpublished({ limit: 500 });
    const names = events.map(({ event }) => (event.kind === 'walletChanged' ? Number(event.fundingWallet) : 0));
    expect(names).toEqual([...names].sort((a, b) => a - b));
  });

  it('offers an event again when its publisher died or released it', async () => {
    const { outbox } = under.books;
    await write(1);
    const [first] = await outbox.takeUnpublished({ limit: 10, claimMs: HOUR_MS });
    await minutesPass(58);
    expect(await outbox.takeUnpublished({ limit: 10 })).toEqual([]);
    await minutesPass(2);
    expect(await outbox.takeUnpublished({ limit: 10 })).toEqual([first]);
    await outbox.release([first!.id]);
    expect(await outbox.takeUnpublished({ limit: 10 })).toEqual([first]);
  });

  it('finds an event that became visible after later ones were published', async () => {
    const { outbox } = under.books;
    const slow = await under.pool.connect();
    await slow.query('BEGIN');
    await slow.query(`INSERT INTO ledger.outbox (kind, chain_id, payload) VALUES ('walletChanged', 1, '{}')`);
    await write(1);
    const [fast] = await outbox.takeUnpublished({ limit: 10 });
    await outbox.markPublished([fast!.id]);
    await slow.query('COMMIT');
    slow.release();
    expect(await outbox.takeUnpublished({ limit: 10 })).toHaveLength(1);
  });

  it('publishes lost events again, with their old ids', async () => {
    const { outbox } = under.books;
    await write(12_000);
    const before = await outbox.takeUnpublished({ limit: 12_000, claimMs: HOUR_MS });
    await outbox.markPublished(before.slice(1).map(({ id }) => id));
    await under.pool.query(`UPDATE ledger.outbox SET created_at = now() - interval '2 days' WHERE id = $1`, [
      before.at(-1)!.id,
    ]);
    expect(await outbox.republish(new Date(Date.now() - 86_400_000))).toBe(11_998);
    const again = await outbox.takeUnpublished({ limit: 12_000 });
    expect(again).toEqual(before.slice(1, -1));
  });
});
