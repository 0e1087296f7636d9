import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { applyBlocks } from './apply-blocks';
import { finalizeNextBlocks } from './finalize-blocks';
import { INDEXES_ONLY, type Database, type Queries } from './database';
import { PostgresOutbox } from './outbox';
import type { AppliedBlock } from './settlement-books';
import { CHAIN_ID, GENESIS, openBooksUnderTest, type BooksUnderTest } from './testing/books-under-test';
import { explaining } from './testing/explaining';
import { insertManyRows, MANY } from './testing/many-rows';
import { hex, ModelChain } from './testing/model-chain';
import { claim, CONTRACT, operationOf, reserveRequest, WALLET } from './testing/reserve-request';
import { unwindBlocks } from './unwind-blocks';
import { voidNextExpired } from './void-expired';

/** The number of blocks that settlement has to catch up with, and of operations in each. */
const BLOCKS = 200;
const OPERATIONS_PER_BLOCK = 4;
/** The number of blocks that a follower applies at once. */
const BATCH = 50;
/** Far below the rate of an idle machine (some 700), so that a machine passes too which is busy with other tests. */
const LEAST_BLOCKS_PER_SECOND = 20;

let postgres: TestDatabase;
let under: BooksUnderTest;
let chain: ModelChain;
beforeAll(async () => {
  postgres = await openDatabase();
  under = await openBooksUnderTest(postgres.url);
  await insertManyRows(under.pool);
  chain = new ModelChain(GENESIS);
  chain.mine(1);
  chain.deposit({ contract: CONTRACT, wallet: WALLET }, 10n ** 18n);
  await under.books.applyBlocks(under.lease, [chain.blockAt(chain.head.number)!]);
  await under.books.finalize(under.lease, chain.head);
});
afterAll(async () => {
  await under.stop();
  await postgres.stop();
});

/** Reservations of both budgets, and the operations that use them. */
async function reserve(count: number, firstNonce: number) {
  const requests = Array.from({ length: count }, (_, index) =>
    reserveRequest({
      ...{ nonce: BigInt(firstNonce + index), sender: hex(20, 0x5e00 + (index % 100)) },
      ...{ validUntilSeconds: GENESIS.timeSeconds + 5_000 },
      claims: [
        claim({ key: 'of all', limit: 10n ** 15n }),
        claim({ key: `of ${index % 100}`, unit: 'count', amount: 1n }),
      ],
    }),
  );
  await Promise.all(requests.map((request) => under.ledger.reserve(request)));
  return requests.map((request, index) => operationOf(request, firstNonce + index));
}

function mine(operations: readonly ReturnType<typeof operationOf>[]): AppliedBlock {
  chain.mine(1);
  for (const operation of operations) chain.land(operation, { chargedWei: 500n, success: true });
  return chain.blockAt(chain.head.number)!;
}

describe(`with ${MANY} reservations`, () => {
  it('no statement of settlement reads a whole table', async () => {
    const { lease } = under;
    const operations = await reserve(20, 1_000_000);
    const requested = chain.head.number;
    const blocks = [mine(operations.slice(0, 10)), mine(operations.slice(10))];
    chain.mine(1);
    chain.requestWithdrawal({ contract: CONTRACT, wallet: WALLET }, 5n);
    blocks.push(chain.blockAt(chain.head.number)!);
    const client = await under.pool.connect();
    await client.query(`BEGIN; ${INDEXES_ONLY}`);
    try {
      const { queries, scans, statements } = explaining(client);
      await applyBlocks(queries, { lease, blocks });
      await unwindBlocks(queries, { lease, number: requested });
      await applyBlocks(queries, { lease, blocks });
      await finalizeNextBlocks(queries, { lease, block: chain.head });
      await queries.query(`UPDATE ledger.cursors SET final_time = final_time + 10100 WHERE chain_id = $1`, [CHAIN_ID]);
      await voidNextExpired(queries, lease);
      expect(statements.length).toBeGreaterThan(50);
      expect(scans).toEqual([]);
    } finally {
      await client.query('ROLLBACK');
      client.release();
      chain.undo(3);
    }
  });

  it('taking events from the outbox reads no whole table', async () => {
    const client = await under.pool.connect();
    await client.query(`BEGIN; ${INDEXES_ONLY}`);
    const { queries, scans } = explaining(client);
    const outbox = new PostgresOutbox({ write: (work: (queries: Queries) => unknown) => work(queries) } as Database);
    await outbox.takeUnpublished({ limit: 100 });
    await outbox.republish(new Date());
    await client.query('ROLLBACK');
    client.release();
    expect(scans).toEqual([]);
  });

  it(`catches up at ${LEAST_BLOCKS_PER_SECOND} blocks a second and more, with ${OPERATIONS_PER_BLOCK} operations in each`, async () => {
    const operations = await reserve(BLOCKS * OPERATIONS_PER_BLOCK, 2_000_000);
    const blocks = Array.from({ length: BLOCKS }, (_, index) =>
      mine(operations.slice(index * OPERATIONS_PER_BLOCK, (index + 1) * OPERATIONS_PER_BLOCK)),
    );
    const took: number[] = [];
    for (let index = 0; index < BLOCKS; index += BATCH) {
      const batch = blocks.slice(index, index + BATCH);
      const startedAt = performance.now();
      await under.books.applyBlocks(under.lease, batch);
      await under.books.finalize(under.lease, batch.at(-1)!.block);
      took.push(performance.now() - startedAt);
    }
    // Only the best batch counts, because other work on the machine may slow the others.
    const blocksPerSecond = BATCH / (Math.min(...took) / 1_000);
    process.stdout.write(`caught up at ${blocksPerSecond.toFixed(0)} blocks/s\n`);
    expect(blocksPerSecond).toBeGreaterThan(LEAST_BLOCKS_PER_SECOND);
    const { rows } = await under.pool.query(`SELECT spent FROM ledger.budgets WHERE key = 'of all'`);
    expect(rows).toEqual([{ spent: String(500 * BLOCKS * OPERATIONS_PER_BLOCK) }]);
  });
});
