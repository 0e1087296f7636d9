import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fundingBalanceWei, startPostgres, type DevChain, type Postgres } from '@paymaster/devnet';
import { normalizeAddress, type Address, type Hex } from '@paymaster/domain';
import { createLedgerDatabase, seedChain, seedWallet, type LedgerDatabase } from '@paymaster/ledger/testing';
import { onSamePort } from './on-same-port';

const CHAIN_ID = 31337;

/** A ledger of a world's own, told by the test what settlement would tell it. */
export interface LedgerWorld {
  readonly url: string;
  readonly database: LedgerDatabase;
  /** Opens the chain's books, or says that they go up to that time; now when absent. */
  seeChain(headTimeSeconds?: number): Promise<void>;
  /** Brings a wallet's row to what the chain says it has in a contract. */
  seeWallet(wallet: { contract: Hex; wallet: Hex }): Promise<void>;
  /** The same with any amount. */
  setWallet(wallet: { contract: Address; wallet: Address; spendableWei: bigint }): Promise<void>;
  rows<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Ends the server and starts it again with what it had; for a world with one of its own. */
  stopServer(): Promise<void>;
  startServer(): Promise<void>;
  stop(): Promise<void>;
}

/** A migrated ledger in a database of its own. @param ownServer nobody else uses its server, so a test may stop it */
export async function startLedgerWorld(
  chain: DevChain,
  { ownServer = false }: { ownServer?: boolean } = {},
): Promise<LedgerWorld> {
  const server = ownServer ? await startOwnServer() : await acquireSharedServer();
  const database = await createLedgerDatabase(server.url);
  const setWallet: LedgerWorld['setWallet'] = async ({ contract, wallet, spendableWei }) => {
    const { rowCount } = await database.pool.query(
      `UPDATE ledger.wallets SET balance_wei = $4, spendable_wei = $4
        WHERE chain_id = $1 AND contract = $2 AND wallet = $3`,
      [CHAIN_ID, contract, wallet, spendableWei.toString()],
    );
    if (rowCount === 0) await seedWallet(database.pool, { chainId: CHAIN_ID, contract, wallet, spendableWei });
  };
  return {
    ...{ url: database.url, database, setWallet, stopServer: server.stop, startServer: server.start },
    seeChain: (headTimeSeconds) =>
      seedChain(database.pool, { chainId: CHAIN_ID, ...(headTimeSeconds !== undefined && { headTimeSeconds }) }),
    async seeWallet({ contract, wallet }) {
      const spendableWei = await fundingBalanceWei(chain, { paymaster: contract, fundingWallet: wallet });
      await setWallet({ contract: normalizeAddress(contract), wallet: normalizeAddress(wallet), spendableWei });
    },
    rows: async (sql, values = []) => (await database.pool.query(sql, [...values])).rows,
    async stop() {
      // A test may have stopped its own server, which takes the database with it.
      await (ownServer ? database.pool.end() : database.drop());
      await server.release();
    },
  };
}

interface Server {
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  release(): Promise<void>;
}

async function startOwnServer(): Promise<Server> {
  const dataDir = mkdtempSync(join(tmpdir(), 'paymaster-ledger-'));
  // Postgres runs as another user where the tests run as root.
  chmodSync(dataDir, 0o755);
  let current = await startPostgres({ dataDir });
  const { url, port } = current;
  return {
    url,
    stop: () => current.stop(),
    async start() {
      current = await onSamePort(port, (wanted) => startPostgres({ dataDir, port: wanted }));
    },
    async release() {
      await current.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** One server for all worlds that a test file has at a time: a server takes a second to start, a database a part of it. */
let shared: { readonly postgres: Promise<Postgres>; users: number } | undefined;

async function acquireSharedServer(): Promise<Server> {
  shared ??= { postgres: startPostgres(), users: 0 };
  shared.users += 1;
  const { url } = await shared.postgres;
  const notAlone = (): never => {
    throw new Error('other worlds use this server: ask for one of its own');
  };
  return { url, start: notAlone, stop: notAlone, release: releaseSharedServer };
}

async function releaseSharedServer(): Promise<void> {
  const server = shared;
  if (!server || (server.users -= 1) > 0) return;
  shared = undefined;
  await (await server.postgres).stop();
}
