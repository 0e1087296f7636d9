import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { exposureClaims, openLedger, type Ledger } from '@paymaster/ledger';
import {
  aReserveRequest,
  createLedgerDatabase,
  seedChain,
  seedWallet,
  UNHURRIED,
  type LedgerDatabase,
} from '@paymaster/ledger/testing';
import { Metrics } from '@paymaster/nest-kit';
import type { FollowedChain } from '../following/followed-chain';
import { ExposureGauges } from './exposure-gauges';

let postgres: TestDatabase;
let database: LedgerDatabase;
let ledger: Ledger;
beforeAll(async () => {
  postgres = await openDatabase();
  database = await createLedgerDatabase(postgres.url);
  ledger = openLedger({ databaseUrl: database.url, ...UNHURRIED });
});
afterAll(async () => {
  await ledger.close();
  await database.drop();
  await postgres.stop();
});

it('show what payments in tokens may leave unpaid, then what they left unpaid for good', async () => {
  const metrics = new Metrics();
  new ExposureGauges(
    metrics,
    database.pool,
    [1, 7].map((chainId) => ({ config: { chainId } }) as FollowedChain),
  );
  const shown = async () => (await metrics.render()).split('\n').filter((line) => /^paymaster_token/.test(line));
  const unpaid = (chain: number, why: string, wei: number) =>
    `paymaster_token_unpaid_wei_total{chain="${chain}",why="${why}"} ${wei}`;
  const exposed = (chain: number, wei: number) => `paymaster_token_exposure_wei{chain="${chain}"} ${wei}`;
  const nothingLost = [1, 7].flatMap((chain) => [unpaid(chain, 'due', 0), unpaid(chain, 'taken', 0)]);

  const request = aReserveRequest({ chainId: 7, prechargeWei: 1_000n });
  const { chainId, contract, wallet, sender, prechargeWei } = request;
  await seedChain(database.pool, { chainId, headTimeSeconds: request.nowSeconds });
  await seedWallet(database.pool, { chainId, contract, wallet, spendableWei: 10_000n });
  // One operation that was signed for two tokens. It can fail to pay in only one of them.
  for (const token of [contract, wallet]) {
    const caps = { tokenCapWei: 2_000n, senderCapWei: 2_000n };
    const claims = exposureClaims({ chainId, wallet, token, sender, prechargeWei, ...caps });
    await ledger.reserve({ ...request, claims });
  }
  expect(await shown()).toEqual([exposed(1, 0), exposed(7, 1_000), ...nothingLost]);

  await database.pool.query(
    `INSERT INTO ledger.unpaid_operations (reservation_id, chain_id, wallet, sender, is_taken)
     SELECT id, $1, $2, $3, true FROM ledger.reservations`,
    [chainId, wallet, sender],
  );
  await database.pool.query(
    "UPDATE ledger.reservations SET state = 'landed', user_op_hash = '0x1', charged_wei = 400, block_number = 1",
  );
  expect(await shown()).toEqual([exposed(1, 0), exposed(7, 1_000), ...nothingLost]);
  await database.pool.query("UPDATE ledger.reservations SET state = 'settled', closed_at = now()");
  expect(await shown()).toEqual([
    ...[exposed(1, 0), exposed(7, 0), unpaid(1, 'due', 0), unpaid(1, 'taken', 0)],
    ...[unpaid(7, 'due', 0), unpaid(7, 'taken', 400)],
  ]);
});
