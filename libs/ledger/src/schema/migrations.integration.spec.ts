import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import {
  aBudgetClaim,
  aReserveRequest,
  createLedgerDatabase,
  seedChain,
  seedWallet,
  UNHURRIED,
  type LedgerDatabase,
} from '../testing';
import { DataSource } from 'typeorm';
import { openLedger } from '../gateway/open-ledger';
import { LEDGER_MIGRATIONS, migrateLedger } from './migrate-ledger';

let postgres: TestDatabase;
let database: LedgerDatabase;
beforeAll(async () => {
  postgres = await openDatabase();
  database = await createLedgerDatabase(postgres.url);
});
afterAll(async () => {
  await database.drop();
  await postgres.stop();
});

describe('migrateLedger', () => {
  it('runs once when several processes start together', async () => {
    await database.pool.query('DROP SCHEMA ledger CASCADE');
    await Promise.all([1, 2, 3].map(() => migrateLedger(database.url)));
    const { rows } = await database.pool.query('SELECT count(*)::int AS count FROM ledger.migrations');
    expect(rows).toEqual([{ count: LEDGER_MIGRATIONS.length }]);
  });

  it('makes tables that can be filled', async () => {
    const address = `0x${'ab'.repeat(20)}` as const;
    await seedChain(database.pool, { chainId: 1 });
    await seedChain(database.pool, { chainId: 1, haltedReason: 'reorg' });
    await seedWallet(database.pool, { chainId: 1, contract: address, wallet: address, spendableWei: 5n });
    const { rows } = await database.pool.query('SELECT spendable_wei FROM ledger.wallets');
    expect(rows).toEqual([{ spendable_wei: '5' }]);
  });

  it.each(['0xABABABABABABABABABABABABABABABABABABABAB', `0x${'ab'.repeat(21)}`, 'ab'.repeat(20)])(
    'refuses a wallet %s, which is not an address in the ledger’s form',
    async (wallet) => {
      const contract = `0x${'ab'.repeat(20)}`;
      const insert = 'INSERT INTO ledger.wallets (chain_id, contract, wallet) VALUES (1, $1, $2)';
      await expect(database.pool.query(insert, [contract, wallet])).rejects.toThrow('address_check');
      await expect(database.pool.query(insert, [wallet, contract])).rejects.toThrow('address_check');
    },
  );

  it('can be undone to the first step and done again, with existing rows', async () => {
    const account = { chainId: 7, contract: `0x${'ab'.repeat(20)}`, wallet: `0x${'cd'.repeat(20)}` } as const;
    const { paymasterId } = aReserveRequest();
    await seedChain(database.pool, { chainId: 7, headTimeSeconds: 1_000 });
    await seedWallet(database.pool, { ...account, spendableWei: 10n ** 18n });
    const reserve = async (nonce: bigint) => {
      const ledger = openLedger({ databaseUrl: database.url, ...UNHURRIED });
      try {
        const claims = [aBudgetClaim({ key: 'kept' })];
        return await ledger.reserve(aReserveRequest({ ...account, paymasterId, nonce, nowSeconds: 1_000, claims }));
      } finally {
        await ledger.close();
      }
    };
    await reserve(1n);

    const migrations = { migrations: [...LEDGER_MIGRATIONS], migrationsTableName: 'migrations', schema: 'ledger' };
    const dataSource = new DataSource({ type: 'postgres', url: database.url, ...migrations });
    await dataSource.initialize();
    try {
      for (let step = 1; step < LEDGER_MIGRATIONS.length; step++) await dataSource.undoLastMigration();
    } finally {
      await dataSource.destroy();
    }
    await expect(reserve(2n)).rejects.toMatchObject({ reason: 'DEPENDENCY_UNAVAILABLE' });
    await migrateLedger(database.url);
    await reserve(2n);
    const { rows } = await database.pool.query("SELECT reserved FROM ledger.budgets WHERE key = 'kept'");
    expect(rows).toEqual([{ reserved: '2' }]);
    // Holds from before the migration count for the brake.
    const { rows: brakes } = await database.pool.query('SELECT paymaster_id, held_wei FROM ledger.brakes');
    expect(brakes).toEqual([{ paymaster_id: paymasterId, held_wei: '2000' }]);
  });
});
