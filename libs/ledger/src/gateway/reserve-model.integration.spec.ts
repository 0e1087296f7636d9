import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { DomainError } from '@paymaster/domain';
import * as fc from 'fast-check';
import { WALLET, type ReserveRequest } from './ledger';
import { openLedger } from './open-ledger';
import { openSettlementBooks } from '../settlement';
import {
  aBudgetClaim,
  aReserveRequest,
  createLedgerDatabase,
  seedChain,
  seedWallet,
  UNHURRIED,
  type LedgerDatabase,
} from '../testing';
import { ModelLedger } from '../testing/model-ledger';
import type { PostgresLedger } from './postgres-ledger';

const CHAIN = 31337;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const WALLETS = [`0x${'71'.repeat(20)}`, `0x${'72'.repeat(20)}`, `0x${'73'.repeat(20)}`] as const;
const PAYMASTERS = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const;
const SENDERS = [`0x${'51'.repeat(20)}`, `0x${'52'.repeat(20)}`] as const;
const SPENDABLE = new Map<string, bigint>([
  [WALLETS[0], 120n],
  [WALLETS[1], 0n],
]);
const NOW = Math.floor(Date.now() / 1_000);

/**
 * Budgets from this index on are shares; the budget before it is a cap on what is live, and the first budget is an
 * exposure cap.
 */
const SHARES_FROM = 4;
const aClaim = fc.record({
  budget: fc.integer({ min: 0, max: SHARES_FROM + 1 }),
  amount: fc.bigInt({ min: 0n, max: 8n }),
  limit: fc.bigInt({ min: 0n, max: 40n }),
  /** The share, if the budget is one of shares: of the wallet or of the earlier claim. */
  percent: fc.integer({ min: 1, max: 100 }),
  isOfWallet: fc.boolean(),
});
const aRequest = fc.record({
  wallet: fc.constantFrom(WALLETS[0], WALLETS[0], WALLETS[0], WALLETS[1], WALLETS[2]),
  paymasterId: fc.constantFrom(...PAYMASTERS),
  sender: fc.constantFrom(...SENDERS),
  nonce: fc.bigInt({ min: 0n, max: 3n }),
  policyVersion: fc.integer({ min: 0, max: 3 }),
  prechargeWei: fc.bigInt({ min: 0n, max: 30n }),
  validUntilSeconds: fc.integer({ min: NOW + 1, max: NOW + 600 }),
  claims: fc.uniqueArray(aClaim, { selector: ({ budget }) => budget, maxLength: 5 }),
  isQuiet: fc.boolean(),
  hasBrake: fc.boolean(),
  expectedWei: fc.bigInt({ min: 0n, max: 30n }),
  client: fc.option(
    fc.record({
      network: fc.constantFrom('a', 'b', 'c'),
      excessWei: fc.bigInt({ min: 0n, max: 2n }),
      isOwnAnswer: fc.boolean(),
      roomMillionths: fc.bigInt({ min: 0n, max: 300_000n }),
      leastRoomWei: fc.bigInt({ min: 0n, max: 20n }),
      ordinaryWei: fc.bigInt({ min: 0n, max: 10n }),
      isTestnet: fc.boolean(),
      holdsFreely: fc.boolean(),
    }),
    { nil: undefined },
  ),
});
/** What all requests of a batch have in common: where a batch is all alike and there is room, it is decided as a whole. */
const ALIKE = {
  limit: fc.option(fc.bigInt({ min: 0n, max: 40n }), { nil: undefined }),
  policyVersion: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  /** No claim is a share or an exposure. */
  isPlain: fc.boolean(),
};
type Drawn<T> = T extends fc.Arbitrary<infer U> ? U : never;
/** Batches in the order of arrival: all requests of a batch at once, then the next batch. */
const someBatches = fc.array(
  fc.record({
    requests: fc.array(aRequest, { minLength: 1, maxLength: 12 }),
    ...ALIKE,
  }),
  { minLength: 1, maxLength: 6 },
);

function toRequest(
  { claims: drawn, hasBrake, ...rest }: Drawn<typeof aRequest>,
  { limit: alike, policyVersion = rest.policyVersion, isPlain }: Omit<Drawn<typeof someBatches>[number], 'requests'>,
): ReserveRequest {
  const claims = drawn.filter(({ budget }) => !isPlain || (budget > 0 && budget < SHARES_FROM));
  return aReserveRequest({
    ...rest,
    policyVersion,
    chainId: CHAIN,
    contract: CONTRACT,
    nowSeconds: NOW,
    ...(hasBrake && { brakeReleasedAtMs: 0 }),
    claims: claims.map(({ budget, amount, limit: own, percent, isOfWallet }, index) => {
      const before = claims[index - 1];
      const of = isOfWallet || !before ? WALLET : `budget/${before.budget}`;
      const share = budget >= SHARES_FROM && { share: { percent, of } };
      const kind = budget === 0 ? { unit: 'exposureWei' as const } : { live: budget >= SHARES_FROM - 1 };
      return aBudgetClaim({ key: `budget/${budget}`, ...kind, amount, limit: alike ?? own, ...share });
    }),
  });
}

let postgres: TestDatabase;
let database: LedgerDatabase;
let ledger: PostgresLedger;
beforeAll(async () => {
  postgres = await openDatabase();
  database = await createLedgerDatabase(postgres.url);
  ledger = openLedger({ databaseUrl: database.url, maxBatchesInFlight: 1, ...UNHURRIED });
});
afterAll(async () => {
  await ledger.close();
  await database.drop();
  await postgres.stop();
});

async function startAnew(): Promise<ModelLedger> {
  // Only the owner of the database can delete entries, and only by switching the trigger off.
  await database.pool.query(`BEGIN; SET LOCAL session_replication_role = replica;
    TRUNCATE ledger.wallets, ledger.cursors, ledger.budgets, ledger.reservations, ledger.holds, ledger.entries,
      ledger.outbox, ledger.chain_events, ledger.brakes, ledger.losses, ledger.unpaid_operations, ledger.networks,
      ledger.network_uses, ledger.network_days, ledger.senders; COMMIT`);
  await seedChain(database.pool, { chainId: CHAIN, headTimeSeconds: NOW });
  for (const [wallet, spendableWei] of SPENDABLE)
    await seedWallet(database.pool, {
      chainId: CHAIN,
      contract: CONTRACT,
      wallet: wallet as `0x${string}`,
      spendableWei,
    });
  return new ModelLedger(SPENDABLE);
}

const outcomeOf = (request: ReserveRequest): Promise<string> =>
  ledger.reserve(request).then(
    () => 'granted',
    (error: unknown) => (error instanceof DomainError ? error.reason : String(error)),
  );

/** The order in which a batch is decided: a second request of an operation waits for the next batch. */
function decidedOrder(requests: readonly ReserveRequest[]): ReserveRequest[] {
  const seen = new Set<string>();
  const [first, later]: [ReserveRequest[], ReserveRequest[]] = [[], []];
  for (const request of requests) {
    const key = [request.wallet, request.paymasterId, request.sender, request.nonce].join('/');
    (seen.has(key) ? later : first).push(request);
    seen.add(key);
  }
  return later.length === 0 ? first : [...first, ...decidedOrder(later)];
}

it('decides any batches as the model does, and holds what the model holds', async () => {
  await fc.assert(
    fc.asyncProperty(someBatches, async (batches) => {
      const model = await startAnew();
      for (const { requests: drawn, ...alike } of batches) {
        const requests = drawn.map((one) => toRequest(one, alike));
        const expected = new Map(decidedOrder(requests).map((request) => [request, model.reserve(request)]));
        const outcomes = await Promise.all(requests.map(outcomeOf));
        expect(outcomes).toEqual(requests.map((request) => expected.get(request)));
      }
      const { rows: reservations } = await database.pool.query(
        `SELECT concat_ws('/', w.wallet, r.paymaster_id, r.sender, r.nonce) AS key, r.hold_wei, r.valid_until
           FROM ledger.reservations r JOIN ledger.wallets w ON w.id = r.wallet_id ORDER BY 1`,
      );
      expect(reservations).toEqual(
        [...model.reservations]
          .map(([key, each]) => ({ key, hold_wei: String(each.holdWei), valid_until: String(each.validUntilSeconds) }))
          .sort((a, b) => (a.key < b.key ? -1 : 1)),
      );
      const { rows: budgets } = await database.pool.query(
        'SELECT key, reserved, limit_amount, policy_version FROM ledger.budgets ORDER BY 1',
      );
      expect(budgets).toEqual(
        [...model.budgets]
          .map(([key, { limit, version }]) => ({
            key,
            reserved: String(model.reserved(key)),
            limit_amount: String(limit),
            policy_version: String(version),
          }))
          .sort((a, b) => (a.key < b.key ? -1 : 1)),
      );
      const { rows: told } = await database.pool.query(
        `SELECT concat_ws('/', w.wallet, r.paymaster_id, r.sender, r.nonce) AS key
           FROM ledger.outbox o JOIN ledger.reservations r ON r.id = (o.payload->>'reservationId')::bigint
           JOIN ledger.wallets w ON w.id = r.wallet_id ORDER BY 1`,
      );
      expect(told).toEqual(model.told.sort().map((key) => ({ key })));
      expect(await openSettlementBooks({ pool: database.pool }).verifyBooks()).toEqual([]);
    }),
    { numRuns: 60, seed: Number(process.env['TEST_SEED']) },
  );
});
