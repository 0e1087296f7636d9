import type { Address, ChainEvent, Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { openLedger } from '@paymaster/ledger';
import { openSettlementBooks, type AppliedBlock, type BlockHeader } from '@paymaster/ledger/settlement';
import { aReserveRequest, UNHURRIED, UNHURRIED_BOOKS } from '@paymaster/ledger/testing';
import { Pool } from 'pg';
import { startBenchLedger } from './bench-ledger';
import type { BenchWorld } from './bench-world';
import type { BenchOptions } from './measurement';

const OPERATIONS = 100_000;
const PER_BLOCK = 400;
/** Blocks of one step, as of a follower that is far behind. */
const AT_ONCE = 10;
const AT_ONCE_RESERVED = 512;
const COST_WEI = 1_000n;
const LEAST_PER_SECOND = 2_000;
const MOST_MB = 300;

/**
 * Target 14, the books' part: blocks of 400 operations, each with a reservation, are applied and made final, until
 * 100,000 operations are settled. The blocks come from memory: reading them from a node is not in it. A row of the
 * cursor says that all were applied.
 *
 * @throws when the books do not have what the blocks say
 */
export async function measureSettlement(world: BenchWorld, { say, judge }: BenchOptions): Promise<void> {
  const ledger = await startBenchLedger(world.chainId);
  const pool = new Pool({ connectionString: ledger.databaseUrl, max: 4 });
  const books = openSettlementBooks({
    pool,
    timeouts: UNHURRIED_BOOKS,
    onFinding: (finding) => say(JSON.stringify(finding)),
  });
  try {
    const payer = { contract: randomAddress(), wallet: randomAddress() };
    await ledger.fund({ ...payer, spendableWei: COST_WEI * BigInt(OPERATIONS) });
    say('');
    say(`settlement behind by ${OPERATIONS} operations in blocks of ${PER_BLOCK}; each is reserved first.`);
    const operations = await reserveAll(ledger.databaseUrl, { ...payer, chainId: world.chainId });
    // As autovacuum does meanwhile in a database in service.
    await ledger.rows('ANALYZE');
    const lease = await books.acquireLease({ chainId: world.chainId, holder: 'bench', ttlMs: 3_600_000 });
    if (!lease) throw new Error('the lease of the books is taken');
    const [cursor] = await ledger.rows<{ number: string; hash: Hex; time: string }>(
      'SELECT head_number AS number, head_hash AS hash, head_time AS time FROM ledger.cursors',
    );
    let head: BlockHeader = {
      ...{ number: BigInt(cursor!.number), hash: cursor!.hash, parentHash: cursor!.hash },
      timeSeconds: Number(cursor!.time),
    };
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    let most = before;
    const startedMs = performance.now();
    for (let from = 0; from < OPERATIONS; from += AT_ONCE * PER_BLOCK) {
      const blocks: AppliedBlock[] = [];
      for (let at = from; at < from + AT_ONCE * PER_BLOCK; at += PER_BLOCK) {
        const block = blockAfter(head);
        blocks.push({ block, events: operations.slice(at, at + PER_BLOCK).map((each, index) => landed(each, index)) });
        head = block;
      }
      await books.applyBlocks(lease, blocks);
      await books.finalize(lease, head);
      most = Math.max(most, process.memoryUsage().rss);
    }
    const perSecond = OPERATIONS / ((performance.now() - startedMs) / 1_000);
    const [wallet] = await ledger.rows<{ balance: string }>(
      'SELECT balance_wei AS balance FROM ledger.wallets WHERE wallet = $1',
      [payer.wallet],
    );
    if (wallet?.balance !== String((COST_WEI / 2n) * BigInt(OPERATIONS)))
      throw new Error(`the wallet has ${wallet?.balance} wei left, not half of what it had`);
    const addedMb = (most - before) / 2 ** 20;
    judge({
      ...{ target: 14, what: 'operations settled a second, of blocks in memory', value: perSecond.toFixed(0) },
      ...{ bound: `>= ${LEAST_PER_SECOND}`, met: perSecond >= LEAST_PER_SECOND },
    });
    judge({
      ...{ target: 14, what: 'memory that it adds to the process, MB', value: addedMb.toFixed(0) },
      ...{ bound: `<= ${MOST_MB}`, met: addedMb <= MOST_MB },
    });
  } finally {
    await books.close();
    await pool.end().catch(() => undefined);
    await ledger.stop();
  }
}

interface Reserved {
  readonly contract: Address;
  readonly wallet: Address;
  readonly entryPoint: Address;
  readonly sender: Address;
  readonly nonce: bigint;
}

async function reserveAll(
  databaseUrl: string,
  payer: { contract: Address; wallet: Address; chainId: number },
): Promise<Reserved[]> {
  const ledger = openLedger({ databaseUrl, maxLagSeconds: 86_400, ...UNHURRIED });
  const operations: Reserved[] = [];
  const reserveOn = async (): Promise<void> => {
    while (operations.length < OPERATIONS) {
      const request = aReserveRequest({ ...payer, prechargeWei: COST_WEI });
      const { contract, wallet, entryPoint, sender, nonce } = request;
      operations.push({ contract, wallet, entryPoint, sender, nonce });
      await ledger.reserve(request);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE_RESERVED }, reserveOn));
    return operations;
  } finally {
    await ledger.close();
  }
}

function blockAfter({ number, hash, timeSeconds }: BlockHeader): BlockHeader {
  return { number: number + 1n, hash: randomHex(32), parentHash: hash, timeSeconds: timeSeconds + 1 };
}

function landed(operation: Reserved, logIndex: number): ChainEvent {
  return {
    ...{ kind: 'operation', ...operation, entryPointVersion: '0.7', userOpHash: randomHex(32), success: true },
    ...{ logIndex, transactionHash: randomHex(32), prechargeWei: COST_WEI },
    ...{ chargedWei: COST_WEI / 2n, actualGasCostWei: COST_WEI / 2n },
  };
}
