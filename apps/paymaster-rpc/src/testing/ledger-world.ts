import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fundingBalanceWei, onSamePort, openDatabase, startPostgres, type DevChain } from '@paymaster/devnet';
import { normalizeAddress, type Address, type Hex } from '@paymaster/domain';
import { createLedgerDatabase, seedChain, seedWallet, type LedgerDatabase } from '@paymaster/ledger/testing';

const CHAIN_ID = 31337;

/** A world's own ledger. The test writes what settlement would write. */
export interface LedgerWorld {
  readonly url: string;
  readonly database: LedgerDatabase;
  /** Opens the chain's books, or moves their head to this time; by default to now. */
  seeChain(headTimeSeconds?: number): Promise<void>;
  /** Sets a wallet's row to its balance in a contract on chain. */
  seeWallet(wallet: { contract: Hex; wallet: Hex }): Promise<void>;
  /** The same with a given amount. */
  setWallet(wallet: { contract: Address; wallet: Address; spendableWei: bigint }): Promise<void>;
  rows<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Stops the server and starts it again with its data; only for a world that has its own server. */
  stopServer(): Promise<void>;
  startServer(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A migrated ledger in a separate database. @param ownServer true: the ledger gets its own server, so a test may stop
 * it
 */
export async function startLedgerWorld(
  chain: DevChain,
  { ownServer = false }: { ownServer?: boolean } = {},
): Promise<LedgerWorld> {
  const server = ownServer ? await startOwnServer() : await openShared();
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
  // If the tests run as root, Postgres runs as another user.
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

/** To start and stop a server takes a second of a core, to make a database much less. */
async function openShared(): Promise<Server> {
  const { url, stop } = await openDatabase();
  const notAlone = (): never => {
    throw new Error('other worlds use this server: ask for one of its own');
  };
  return { url, start: notAlone, stop: notAlone, release: stop };
}
