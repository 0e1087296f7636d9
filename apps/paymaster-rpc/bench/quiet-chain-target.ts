import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SponsoredChain } from '@paymaster/chain/testing';
import { makeEventStream, startApplication, startNats } from '@paymaster/devnet';
import type { Address } from '@paymaster/domain';
import { randomAddress, until } from '@paymaster/domain/testing';
import { openLedger } from '@paymaster/ledger';
import { openSettlementBooks } from '@paymaster/ledger/settlement';
import { aReserveRequest, createLedgerDatabase, UNHURRIED, UNHURRIED_BOOKS } from '@paymaster/ledger/testing';
import type { Pool } from 'pg';
import type { BenchWorld } from './bench-world';
import type { BenchOptions } from './measurement';
import { startRpcCounter } from './rpc-counter';

const CHAIN_ID = 31337;
const BLOCK_MS = 250;
const PROVIDERS = 3;
const QUIET_SECONDS = 60;
const MOST_PER_SECOND = 1;
const NO_BUNDLER = 'http://127.0.0.1:9';

/**
 * Target 15: what the built settlement asks each of three providers while nothing of ours happens on a chain of 0.25 s
 * blocks. The chain and the books are its own. Afterwards an operation and a deposit land, and blocks with a deposit are
 * undone.
 *
 * @throws when the books miss one of these, or do not add up
 */
export async function measureQuietChain(world: BenchWorld, options: BenchOptions): Promise<void> {
  const closers: Array<() => unknown> = [];
  try {
    const chain = await SponsoredChain.start();
    closers.push(() => chain.stop());
    const providers = await Promise.all(Array.from({ length: PROVIDERS }, () => startRpcCounter(chain.url)));
    closers.push(() => Promise.all(providers.map((provider) => provider.stop())));
    const database = await createLedgerDatabase(world.ledger.databaseUrl);
    closers.push(() => database.drop());
    const followed = { chain, pool: database.pool, databaseUrl: database.url };
    closers.push(await startSettlement({ ...followed, rpcUrls: providers.map(({ url }) => url) }));
    const mining = new Mining(chain);
    closers.push(() => mining.pause());

    mining.goOn();
    const { pool } = followed;
    const books = openSettlementBooks({ pool, timeouts: UNHURRIED_BOOKS });
    await until(() => books.isQuiet(CHAIN_ID));
    const headNumber = async () => (await books.cursor(CHAIN_ID))?.head.number;
    const before = await headNumber();
    // The look that found the chain quiet is over.
    await until(async () => (await headNumber()) !== before);
    for (const provider of providers) provider.take();
    const [startedMs, blocksBefore] = [performance.now(), mining.blocks];
    await sleep(QUIET_SECONDS * 1_000);
    const seconds = (performance.now() - startedMs) / 1_000;
    const calls = providers.map((provider) => provider.take());
    report(options, { calls, seconds, blocks: mining.blocks - blocksBefore });

    await landOperation(followed);
    await findDeposit(followed);
    await undoDeposit(followed, mining);
    const findings = await books.verifyBooks();
    if (findings.length > 0) throw new Error(`the books do not add up: ${JSON.stringify(findings.slice(0, 3))}`);
    options.judge({
      ...{ target: 15, what: 'then an operation, a deposit, a reorganisation', value: 'in books' },
      ...{ bound: 'each found', met: true },
    });
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

interface Followed {
  readonly chain: SponsoredChain;
  readonly pool: Pool;
  readonly databaseUrl: string;
}

/** Blocks of a chain at a constant rate. */
class Mining {
  /** So far. */
  blocks = 0;
  private isPaused = true;
  private loop: Promise<void> = Promise.resolve();

  constructor(private readonly chain: SponsoredChain) {}

  goOn(): void {
    this.isPaused = false;
    this.loop = this.mine();
    // It is waited for in `pause`.
    this.loop.catch(() => undefined);
  }

  /** @throws when the chain could not mine */
  pause(): Promise<void> {
    this.isPaused = true;
    return this.loop;
  }

  private async mine(): Promise<void> {
    for (let dueMs = performance.now(); !this.isPaused; dueMs += BLOCK_MS) {
      await this.chain.mine(1);
      this.blocks++;
      await sleep(Math.max(0, dueMs + BLOCK_MS - performance.now()));
    }
  }
}

/** The built service with its default settings, and a broker of its own. @returns what ends it */
async function startSettlement({
  chain,
  databaseUrl,
  rpcUrls,
}: Followed & { readonly rpcUrls: readonly string[] }): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'paymaster-bench-quiet-'));
  const nats = await startNats();
  const stop = async (): Promise<void> => {
    await nats.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const chainsFile = join(folder, 'chains.json');
    const { entryPoints } = chain;
    const config = { chainId: CHAIN_ID, name: 'quiet', rpcUrls, bundlerUrl: NO_BUNDLER, entryPoints };
    writeFileSync(chainsFile, JSON.stringify({ chains: [{ ...config, blockTimeSeconds: BLOCK_MS / 1_000 }] }));
    await makeEventStream({ NATS_URL: nats.url });
    const env = { NATS_URL: nats.url, DATABASE_URL: databaseUrl, CHAINS_FILE: chainsFile, LOG_LEVEL: 'warn' };
    const service = await startApplication({ name: 'settlement', env });
    return async () => {
      await service.stop();
      await stop();
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function report(
  { say, judge }: BenchOptions,
  measured: { calls: ReadonlyArray<ReadonlyMap<string, number>>; seconds: number; blocks: number },
): void {
  const { calls, seconds, blocks } = measured;
  say('');
  say(`settlement on a chain of ${blocks} blocks in ${seconds.toFixed(0)} s, none of them with an event of ours.`);
  const perSecond = calls.map((byMethod) => [...byMethod.values()].reduce((sum, count) => sum + count, 0) / seconds);
  for (const [index, byMethod] of calls.entries()) {
    const methods = [...byMethod].map(([method, count]) => `${count} ${method}`).join(', ');
    say(`provider ${index + 1}  ${perSecond[index]!.toFixed(2)} calls/s  ${methods}`);
  }
  const most = Math.max(...perSecond);
  judge({
    ...{ target: 15, what: 'calls/s of settlement to the busiest provider', value: most.toFixed(2) },
    ...{ bound: `<= ${MOST_PER_SECOND.toFixed(2)}`, met: most <= MOST_PER_SECOND },
  });
}

/** An operation is reserved, lands, and is settled. */
async function landOperation({ chain, pool, databaseUrl }: Followed): Promise<void> {
  const version = '0.7';
  const { entryPoint, paymaster: contract } = chain.world.of(version);
  const { timestamp } = (await chain.rpc('eth_getBlockByNumber', 'latest', false)) as { timestamp: string };
  const nowSeconds = Number(timestamp);
  const validUntilSeconds = nowSeconds + 600;
  const sponsored = await chain.sponsored({ version, validUntilSeconds });
  const { wallet, prechargeWei } = sponsored;
  const { sender, nonce } = sponsored.operation;
  const ledger = openLedger({ databaseUrl, ...UNHURRIED });
  try {
    const payer = { chainId: CHAIN_ID, contract, wallet, entryPoint, entryPointVersion: version } as const;
    const signed = { sender, nonce, prechargeWei, validUntilSeconds, nowSeconds };
    const reservationId = await ledger.reserve(aReserveRequest({ ...payer, ...signed }));
    await chain.handleOps(version, [sponsored]);
    const stateOf = 'SELECT state FROM ledger.reservations WHERE id = $1';
    await until(async () => (await pool.query(stateOf, [reservationId])).rows[0]?.state === 'settled');
  } finally {
    await ledger.close();
  }
}

async function findDeposit(followed: Followed): Promise<void> {
  const wallet = randomAddress();
  await depositFor(followed.chain, wallet);
  await until(async () => (await depositsOf(followed, wallet)) === 1);
}

/** The chain takes blocks back that the books have, and goes on with others. */
async function undoDeposit(followed: Followed, mining: Mining): Promise<void> {
  const { chain } = followed;
  const [undone, kept] = [randomAddress(), randomAddress()];
  // Only two blocks are undone, because the third from the top is final.
  await mining.pause();
  const snapshot = await chain.rpc('evm_snapshot');
  await depositFor(chain, undone);
  await chain.mine(1);
  await until(async () => (await depositsOf(followed, undone)) === 1);
  await chain.rpc('evm_revert', snapshot);
  await chain.rpc('evm_increaseTime', 3);
  await depositFor(chain, kept);
  mining.goOn();
  await until(async () => (await depositsOf(followed, kept)) === 1 && (await depositsOf(followed, undone)) === 0);
}

async function depositFor(chain: SponsoredChain, wallet: Address): Promise<void> {
  await chain.callPaymaster('0.7', 'depositFor', [wallet], 1n);
}

/** How many deposits of a wallet are in the books. */
async function depositsOf({ pool }: Followed, wallet: Address): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM ledger.chain_events AS e JOIN ledger.wallets AS w ON w.id = e.wallet_id
      WHERE w.wallet = $1 AND e.kind = 'deposited'`,
    [wallet],
  );
  return rows[0]!.count;
}
