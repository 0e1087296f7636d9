import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import { openLedger } from './open-ledger';
import {
  aBudgetClaim,
  aReserveRequest,
  createLedgerDatabase,
  seedChain,
  seedWallet,
  UNHURRIED,
  type LedgerDatabase,
} from '../testing';
import type { PostgresLedger } from './postgres-ledger';

const CHAIN = 31337;
const account = { chainId: CHAIN, contract: `0x${'c0'.repeat(20)}`, wallet: `0x${'77'.repeat(20)}` } as const;
const PAYMASTER = '00000000-0000-4000-8000-000000000001';

let postgres: TestDatabase;
let database: LedgerDatabase;
let ledger: PostgresLedger;
let nowMs: number;
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  nowMs = 1_700_000_000_000;
  database = await createLedgerDatabase(postgres.url);
  await seedChain(database.pool, { chainId: CHAIN });
  await seedWallet(database.pool, { ...account, spendableWei: 100n });
  ledger = openLedger({ databaseUrl: database.url, clock: () => nowMs, ...UNHURRIED });
});
afterEach(async () => {
  await ledger.close();
  await database.drop();
});

function aRefusal(paymasterId: string | null = PAYMASTER): Parameters<PostgresLedger['recordRefusal']>[0] {
  const { event } = aReserveRequest({ ...account });
  return {
    ...event,
    paymasterId,
    kind: 'refused',
    reservationId: null,
    reason: 'R',
    message: 'no',
    prechargeWei: null,
    details: {},
  };
}
const refusals = async () =>
  (await database.pool.query(`SELECT paymaster_id, payload FROM ledger.outbox WHERE kind = 'refused'`)).rows as {
    paymaster_id: string;
    payload: object;
  }[];

describe('availableWei', () => {
  it('is read once a second, for many wallets at a time', async () => {
    const other = { ...account, wallet: `0x${'78'.repeat(20)}` } as const;
    expect(
      await Promise.all([ledger.availableWei(account), ledger.availableWei(other), ledger.availableWei(account)]),
    ).toEqual([100n, 0n, 100n]);
    await database.pool.query('UPDATE ledger.wallets SET spendable_wei = 60, held_wei = 10');
    nowMs += 999;
    expect(await ledger.availableWei(account)).toBe(100n);
    nowMs += 1;
    expect(await ledger.availableWei(account)).toBe(50n);
  });
});

describe('of an operation that has its reservation', () => {
  const operation = aReserveRequest({ ...account, prechargeWei: 100n });
  const claims = [aBudgetClaim({ key: 'one', limit: 1n }), aBudgetClaim({ key: 'two', limit: 9n, amount: 3n })];
  const others = {
    nonce: { ...operation, nonce: operation.nonce + (1n << 64n) },
    sender: { ...operation, sender: account.wallet },
    paymaster: { ...operation, paymasterId: PAYMASTER },
  };
  const held = async (of?: typeof operation) => (await ledger.peek(claims, of)).map(({ heldAmount }) => heldAmount);
  beforeEach(() => ledger.reserve({ ...operation, claims }));

  it('availableWei gives its hold back to it, and to no other', async () => {
    expect(await ledger.availableWei(account)).toBe(0n);
    expect(await ledger.availableWei(account, operation)).toBe(100n);
    for (const other of Object.values(others)) expect(await ledger.availableWei(account, other)).toBe(0n);
    expect(await ledger.availableWei({ ...account, wallet: operation.sender }, operation)).toBe(0n);
  });

  it('availableWei is zero for it too if the wallet has promised too much', async () => {
    await database.pool.query('UPDATE ledger.wallets SET spendable_wei = 99');
    expect(await ledger.availableWei(account, operation)).toBe(0n);
    await expect(ledger.reserve({ ...operation, claims })).rejects.toThrow();
  });

  it('peek separates its holds from the use of others', async () => {
    expect(await ledger.peek(claims, operation)).toMatchObject([
      { key: 'one', usedAmount: 1n, heldAmount: 1n },
      { key: 'two', usedAmount: 3n, heldAmount: 3n },
    ]);
    expect(await held()).toEqual([0n, 0n]);
    for (const other of Object.values(others)) expect(await held(other)).toEqual([0n, 0n]);
  });

  it('neither counts it once it is closed', async () => {
    await database.pool.query(
      `UPDATE ledger.reservations SET state = 'voided', void_reason = 'expired', closed_at = now()`,
    );
    expect(await held(operation)).toEqual([0n, 0n]);
    expect(await ledger.availableWei(account, operation)).toBe(0n);
  });
});

describe('outcomes', () => {
  it('are those of the paymaster, the chain and the last minutes', async () => {
    await database.pool.query(`INSERT INTO ledger.outcomes VALUES
      ('${PAYMASTER}', ${CHAIN}, 9, 100, 100), ('${PAYMASTER}', ${CHAIN}, 10, 3, 1), ('${PAYMASTER}', ${CHAIN}, 11, 4, 2), ('${PAYMASTER}', 1, 11, 50, 50)`);
    const query = { paymasterId: PAYMASTER, chainId: CHAIN, sinceSeconds: 630 };
    expect(await ledger.outcomes(query)).toEqual({ landed: 7, reverted: 3 });
    expect(await ledger.outcomes({ ...query, chainId: 5 })).toEqual({ landed: 0, reverted: 0 });
  });
});

describe('recordRefusal', () => {
  it('returns before the event is written', async () => {
    const refusal = aRefusal();
    const slow = await database.pool.connect();
    await slow.query('BEGIN; LOCK TABLE ledger.outbox IN EXCLUSIVE MODE');
    ledger.recordRefusal(refusal);
    expect(await refusals()).toEqual([]);
    await slow.query('COMMIT');
    slow.release();
    await until(async () => (await refusals()).length > 0);
    expect(await refusals()).toEqual([{ paymaster_id: PAYMASTER, payload: refusal }]);
  });

  it('writes the other refusals when the database does not accept one', async () => {
    const another = openLedger({ databaseUrl: database.url, ...UNHURRIED });
    for (const paymasterId of [null, 'no uuid', PAYMASTER]) another.recordRefusal(aRefusal(paymasterId));
    await another.close();
    expect(another.usage().droppedRefusals).toBe(1);
    expect((await refusals()).map(({ paymaster_id: id }) => id).sort()).toEqual([PAYMASTER, null]);
  });

  it('writes what is left when it is closed', async () => {
    const another = openLedger({ databaseUrl: database.url, ...UNHURRIED });
    another.recordRefusal(aRefusal(null));
    await another.close();
    expect(await refusals()).toHaveLength(1);
  });

  it('records a bounded number per second and paymaster, counts the rest, and delays no other paymaster', async () => {
    for (let index = 0; index < 30; index++) ledger.recordRefusal(aRefusal());
    ledger.recordRefusal(aRefusal('00000000-0000-4000-8000-000000000002'));
    expect(ledger.usage().droppedRefusals).toBe(10);
    nowMs += 1_000;
    ledger.recordRefusal(aRefusal());
    expect(ledger.usage().droppedRefusals).toBe(10);
    await until(async () => (await refusals()).length >= 22);
    expect(await refusals()).toHaveLength(22);
  });
});
