import { startPostgres, type Postgres } from '@paymaster/devnet';
import { createLedgerDatabase, seedChain, seedWallet, type LedgerDatabase } from '../testing';
import { migrateLedger } from './migrate-ledger';

let postgres: Postgres;
let database: LedgerDatabase;
beforeAll(async () => {
  postgres = await startPostgres();
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
    expect(rows).toEqual([{ count: 5 }]);
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
    'knows no wallet by %s, which is no address as the ledger writes them',
    async (wallet) => {
      const contract = `0x${'ab'.repeat(20)}`;
      const insert = 'INSERT INTO ledger.wallets (chain_id, contract, wallet) VALUES (1, $1, $2)';
      await expect(database.pool.query(insert, [contract, wallet])).rejects.toThrow('address_check');
      await expect(database.pool.query(insert, [wallet, contract])).rejects.toThrow('address_check');
    },
  );
});
