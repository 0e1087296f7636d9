/** A settlement that follows the model chain, until it is killed. race-processes.ts starts it as a separate process. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, Pool, type PoolClient } from 'pg';
import { DetachedBlockError, LeaseLostError, openSettlementBooks, type Lease } from '../../src/settlement';
import { randomOf } from '../../src/settlement/testing/random';
import { readBlocks } from './chain-node';
import { harmYourself, readJob, tell } from './process-talk';
import { CHAIN_ID, GENESIS } from './race-world';

const LEASE_MS = 1_500;
/**
 * Expected faults: other processes hold a lock for too long, or the server ended a transaction because this process was
 * stopped in it.
 */
const EXPECTED_CODES = ['55P03', '57014', '25P03'];

const { databaseUrl, nodeUrl, ownSeed, selfHarmOneIn } = readJob();
const random = randomOf(ownSeed);
const holder = randomUUID();
const pool = new Pool({ connectionString: databaseUrl, max: 4, application_name: 'race-settlement' });
pool.on('error', () => undefined);
pool.on('connect', breakNowAndThen);
const books = openSettlementBooks({
  pool,
  timeouts: { statementMs: 10_000, lockMs: 2_000, idleInTransactionMs: 1_500 },
  onFinding: ({ what, expected, found }) =>
    tell({ fault: { message: 'a finding', code: 'FINDING', cause: `${what}: ${found}, not ${expected}` } }),
});

async function main(): Promise<never> {
  let isReady = false;
  for (;;) {
    try {
      const lease = await books.acquireLease({ chainId: CHAIN_ID, holder, ttlMs: LEASE_MS });
      if (lease) await settle(lease);
      if (!isReady) tell({ ready: true });
      isReady = true;
    } catch (error) {
      if (!isExpected(error)) throw error;
    }
    await sleep(random.int(10, 60));
  }
}

/** One round over the chain: unwinds, applies and finalizes blocks. */
async function settle(lease: Lease): Promise<void> {
  await books.startAt(lease, GENESIS);
  const { head, final } = (await books.cursor(CHAIN_ID))!;
  const view = await readBlocks(nodeUrl, final.number);
  const hashes = new Map(view.blocks.map(({ block }) => [block.number, block.hash]));
  let common = head.number;
  while ((await books.blockAt(CHAIN_ID, common))?.hash !== hashes.get(common)) common--;
  await books.unwindTo(lease, common);
  const next = view.blocks.filter(({ block }) => block.number > common).slice(0, random.int(1, 100));
  await books.applyBlocks(lease, next);
  if (random.chance(0.2)) await books.applyBlocks(lease, next);
  const applied = next.at(-1)?.block ?? view.blocks.find(({ block }) => block.number === common)!.block;
  await books.finalize(lease, applied.number < view.final.number ? applied : view.final);
}

function isExpected(error: unknown): boolean {
  if (error instanceof LeaseLostError || error instanceof DetachedBlockError) return true;
  // A block that was applied is not there any more, because another leader unwound it in between.
  if (error instanceof DatabaseError) return EXPECTED_CODES.includes(error.code ?? '');
  return /Connection terminated|not queryable|is not applied yet/.test(String(error));
}

/** Ends or stops this process between the statements of a transaction, the last one included. */
function breakNowAndThen(client: PoolClient): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown;
  client.query = ((...given: unknown[]) => {
    const result = query(...given);
    harmYourself(random, selfHarmOneIn);
    return result;
  }) as PoolClient['query'];
}

main().catch((error: unknown) => {
  tell({ fault: { message: 'settlement ended', code: 'ENDED', cause: String((error as Error)?.stack ?? error) } });
  process.exit(1);
});
