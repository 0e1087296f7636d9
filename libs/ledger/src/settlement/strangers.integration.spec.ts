import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { WALLET, type ClientAsk, type Ledger, type ReserveRequest } from '../gateway/ledger';
import { openLedger } from '../gateway/open-ledger';
import { aBudgetClaim, UNHURRIED } from '../testing';
import { OneWallet } from './testing/one-wallet';
import { operationOf, paymasterId, reserveRequest } from './testing/reserve-request';
import { hex } from './testing/model-chain';

const HOUR = 3_600;
const DAY = 86_400;
const DEPOSIT = 1_000_000n;

let postgres: TestDatabase;
let world: OneWallet;
let count: number;
/** Its caches live for a second, which passes at each question. */
let fresh: Ledger;
let clockMs: number;
beforeAll(async () => (postgres = await openDatabase()));
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await OneWallet.open(postgres.url);
  [count, clockMs] = [0, 0];
  fresh = openLedger({ databaseUrl: world.under.url, ...UNHURRIED, clock: () => (clockMs += 1_000) });
  await world.depositForGood(DEPOSIT);
});
afterEach(async () => {
  await fresh.close();
  await world.close();
});

/** A client of a network with room for a tenth of the wallet. */
const client = (network: string, changes: Partial<ClientAsk> = {}): ClientAsk => ({
  ...{ network, excessWei: 0n, isOwnAnswer: false, roomMillionths: 100_000n },
  ...{ leastRoomWei: 0n, ordinaryWei: 10n, isTestnet: false, holdsFreely: true, ...changes },
});
interface Asked extends Partial<Omit<ReserveRequest, 'client'>> {
  readonly client?: Partial<ClientAsk>;
}
/** A request of a new sender. The precharge is twice what is expected, as of usual clients. */
const request = (network: string | undefined, expectedWei: bigint, { client: of, ...changes }: Asked = {}) =>
  reserveRequest({
    ...{ sender: hex(20, 0xa00 + ++count), prechargeWei: 2n * expectedWei, expectedWei },
    ...(network !== undefined && { client: client(network, of) }),
    ...{ nowSeconds: now(), validUntilSeconds: now() + 300 },
    ...changes,
  });
const now = () => world.chain.head.timeSeconds;
const answerOf = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => 'granted',
    (error: { reason?: string }) => error.reason ?? String(error),
  );
/** Asks beforehand, and then reserves: the ledger must say the same about strangers. */
async function outcome(asked: ReserveRequest): Promise<string> {
  const said = asked.client && (await answerOf(fresh.assertNetworkLeaves(questionOf(asked))));
  const answer = await reserved(asked);
  if (said !== undefined && OF_NETWORKS.includes([said, answer].find((each) => each !== 'granted') ?? '')) {
    expect(said).toBe(answer);
  }
  return answer;
}
/** Without asking beforehand, where hundreds are asked for. */
const reserved = (asked: ReserveRequest): Promise<string> => answerOf(world.under.ledger.reserve(asked));
const OF_NETWORKS = [
  ...['ASKED_BEYOND_OWN_ANSWER', 'CLIENT_NETWORK_HOUR_USED', 'NEW_NETWORKS_HOUR_USED', 'FUNDING_WALLET_SHARE_REACHED'],
];
const questionOf = (asked: ReserveRequest) => ({
  ...asked,
  ...{ client: asked.client!, expectedWei: asked.expectedWei!, headTimeSeconds: asked.headTimeSeconds ?? now() },
});
const ask = (network: string | undefined, expectedWei: bigint, changes?: Asked) =>
  outcome(request(network, expectedWei, changes));
/** Lands a granted operation in the chain's next block. */
async function land(asked: ReserveRequest, chargedWei = asked.expectedWei!, { isFinal = false } = {}): Promise<void> {
  world.chain.mine(1);
  world.chain.land(operationOf(asked, ++count), { chargedWei, success: true });
  await (isFinal ? world.finalize() : world.follow());
}
/** Asks, and lands a granted operation at its expected cost. */
async function use(network: string, expectedWei: bigint, changes: Asked = {}): Promise<string> {
  const asked = request(network, expectedWei, { prechargeWei: expectedWei, ...changes });
  const answer = await outcome(asked);
  if (answer === 'granted') await land(asked);
  return answer;
}
/** Lets time on chain pass, in six blocks. */
async function pass(seconds: number): Promise<void> {
  world.chain.mine(seconds - 5);
  for (let block = 0; block < 5; block++) world.chain.mine(1);
  await world.follow();
}
/** Lands a little of a network on each of the days before today. */
async function knownSince(network: string, days: number): Promise<void> {
  for (let day = 0; day < days; day++) {
    expect(await use(network, 1n)).toBe('granted');
    await pass(DAY);
  }
}
const network = async (name: string) =>
  (
    await world.under.pool.query<Record<string, unknown>>(
      `SELECT held_wei::int AS held, expected_wei::int AS expected, excess_wei::int AS excess, strikes
       FROM ledger.networks WHERE network = $1`,
      [name],
    )
  ).rows[0];
const near = async () =>
  (
    await world.under.pool.query<{ payload: Record<string, unknown> }>(
      `SELECT payload FROM ledger.outbox WHERE kind = 'networkNearRoom' ORDER BY id`,
    )
  ).rows.map(({ payload }) => payload);

describe('what is asked beyond the own answer', () => {
  it('is at most a hundredth of the wallet in an hour, landed and held together', async () => {
    const greedy = { client: { excessWei: 5_000n } };
    const first = request('a', 6_000n, greedy);
    expect(await outcome(first)).toBe('granted');
    await land(first);
    expect(await ask('a', 6_000n, greedy)).toBe('granted');
    await expect(world.under.ledger.reserve(request('a', 6_000n, { client: { excessWei: 1n } }))).rejects.toMatchObject(
      {
        reason: 'ASKED_BEYOND_OWN_ANSWER',
        details: { usedWei: '10000', limitWei: '10000' },
      },
    );
    expect(await ask('a', 6_000n)).toBe('granted');
    expect(await ask('a', 1n, { client: { excessWei: 9_000n, isOwnAnswer: true } })).toBe('granted');
    expect(await ask('b', 6_000n, greedy)).toBe('granted');
    await pass(HOUR + 60);
    expect(await ask('a', 6_000n, greedy)).toBe('granted');
  });

  it('counts at most what was billed once it landed, and limits that were not used take nothing off it', async () => {
    const modest = { client: { excessWei: 9_000n } };
    const asked = request('a', 10_000n, modest);
    expect(await outcome(asked)).toBe('granted');
    expect(await ask('a', 10_000n, modest)).toBe('ASKED_BEYOND_OWN_ANSWER');
    await land(asked, 900n);
    expect(await ask('a', 10_000n, modest)).toBe('granted');
    const padded = request('b', 90_000n, modest);
    expect(await outcome(padded)).toBe('granted');
    await land(padded, 9_500n);
    expect(await ask('b', 20_000n, modest)).toBe('ASKED_BEYOND_OWN_ANSWER');
  });

  it('may be a third of the least room, where that is more than a hundredth of the wallet', async () => {
    const dear = { client: { leastRoomWei: 60_000n, excessWei: 10_000n } };
    expect(await ask('a', 20_000n, dear)).toBe('granted');
    expect(await ask('a', 20_000n, dear)).toBe('granted');
    expect(await ask('a', 1n, { client: { ...dear.client, excessWei: 1n } })).toBe('ASKED_BEYOND_OWN_ANSWER');
  });
});

describe('what a network may cost in an hour', () => {
  it('is its room, landed as billed and held as expected together; the refusal says when to try again', async () => {
    const first = request('a', 60_000n, { prechargeWei: 60_000n });
    expect(await outcome(first)).toBe('granted');
    expect(await ask('a', 40_001n)).toBe('CLIENT_NETWORK_HOUR_USED');
    const at = now() + 1;
    await land(first, 50_000n);
    const second = request('a', 50_000n, { prechargeWei: 50_000n });
    expect(await outcome(second)).toBe('granted');
    await land(second);
    await expect(world.under.ledger.reserve(request('a', 1n))).rejects.toMatchObject({
      reason: 'CLIENT_NETWORK_HOUR_USED',
      isPublic: true,
      details: {
        ...{ usedWei: '100000', limitWei: '100000' },
        retryAfterSeconds: (Math.floor(at / 60) + 61) * 60 - now(),
      },
    });
    expect(await ask('b', 1n)).toBe('granted');
    expect(await ask(undefined, 1n)).toBe('granted');
    await pass(HOUR + 60);
    expect(await use('a', 90_000n)).toBe('granted');
  });

  it('is never less than the lesser of ten million gas and a tenth of the wallet, and never more than a quarter', async () => {
    const small = { client: { roomMillionths: 1n, leastRoomWei: 30_000n } };
    expect(await ask('a', 30_001n, small)).toBe('CLIENT_NETWORK_HOUR_USED');
    expect(await ask('a', 30_000n, small)).toBe('granted');
    const dear = { client: { roomMillionths: 1n, leastRoomWei: 10n ** 30n } };
    expect(await ask('b', 100_001n, dear)).toBe('CLIENT_NETWORK_HOUR_USED');
    await knownSince('c', 1);
    const large = { client: { roomMillionths: 900_000n } };
    expect(await ask('c', 250_001n, large)).toBe('CLIENT_NETWORK_HOUR_USED');
  });

  it('is ten times as much for a network that landed operations on three days of seven, up to a quarter', async () => {
    const small = { client: { roomMillionths: 20_000n } };
    await knownSince('a', 2);
    expect(await ask('a', 20_001n, small)).toBe('CLIENT_NETWORK_HOUR_USED');
    await knownSince('a', 1);
    expect(await ask('a', 200_001n, small)).toBe('CLIENT_NETWORK_HOUR_USED');
    expect(await ask('a', 199_000n, small)).toBe('granted');
    await pass(7 * DAY);
    expect(await ask('a', 20_001n, small)).toBe('CLIENT_NETWORK_HOUR_USED');
  });

  it('is measured against what the wallet had an hour ago, and does not shrink while it is used', async () => {
    for (const name of ['a', 'b']) {
      const asked = request(name, 100_000n, { prechargeWei: 100_000n });
      expect(await outcome(asked)).toBe('granted');
      await land(asked, undefined, { isFinal: true });
    }
    expect(await world.wallet()).toMatchObject({ spendable: 800_000 });
    await pass(DAY - HOUR);
    await knownSince('c', 1);
    expect(await use('c', 79_000n)).toBe('granted');
    await world.finalize();
    expect(await ask('c', 990n)).toBe('granted');
    expect(await ask('c', 10n)).toBe('CLIENT_NETWORK_HOUR_USED');
  });

  it('counts only the difference when an operation is signed again, and gives all back when its block is undone', async () => {
    const asked = request('a', 90_000n, { prechargeWei: 90_000n });
    expect(await outcome(asked)).toBe('granted');
    const dearer = { ...asked, expectedWei: 99_000n, prechargeWei: 99_000n };
    expect(await outcome(dearer)).toBe('granted');
    expect(await network('a')).toMatchObject({ expected: 99_000, held: 99_000 });
    expect(await ask('a', 1_001n)).toBe('CLIENT_NETWORK_HOUR_USED');
    await land(dearer, 10_000n);
    expect(await network('a')).toMatchObject({ expected: 0, held: 0 });
    expect(await ask('a', 90_001n)).toBe('CLIENT_NETWORK_HOUR_USED');
    await world.undo(1);
    expect(await network('a')).toMatchObject({ expected: 99_000, held: 99_000 });
    expect(await ask('a', 1_001n)).toBe('CLIENT_NETWORK_HOUR_USED');
  });

  it('moves to the network that raises an operation, and not to one that repeats it', async () => {
    const asked = request('a', 1_000n);
    await outcome(asked);
    await outcome({ ...asked, client: client('b') });
    expect([await network('a'), await network('b')]).toMatchObject([{ expected: 1_000, held: 2_000 }, {}]);
    await outcome({ ...asked, expectedWei: 1_001n, client: client('b') });
    expect([await network('a'), await network('b')]).toMatchObject([
      { expected: 0, held: 0 },
      { expected: 1_001, held: 2_000 },
    ]);
  });

  it('lets one ordinary operation pass where nothing else counts, so that a small wallet stays usable', async () => {
    const ordinary = { client: { ordinaryWei: 600_000n } };
    const first = request('a', 300_000n, { client: { ...ordinary.client, excessWei: 20_000n } });
    expect(await outcome(first)).toBe('granted');
    expect(await outcome({ ...first })).toBe('granted');
    const beyond = { client: { ...ordinary.client, excessWei: 1n } };
    expect(await ask('a', 1n, beyond)).toBe('ASKED_BEYOND_OWN_ANSWER');
    expect(await ask('a', 1n, ordinary)).toBe('CLIENT_NETWORK_HOUR_USED');
    expect(await ask('b', 1n, ordinary)).toBe('NEW_NETWORKS_HOUR_USED');
  });

  it('tells the owner once an hour when half of it is used, also by what it refuses', async () => {
    expect(await ask('a', 49_999n)).toBe('granted');
    expect(await near()).toEqual([]);
    expect(await ask('a', 1n)).toBe('granted');
    expect(await near()).toEqual([
      {
        ...{ kind: 'networkNearRoom', chainId: 31337, paymasterId: paymasterId(1), network: 'a' },
        ...{ contract: hex(20, 0xc0), fundingWallet: hex(20, 0xf0), usedWei: '50000', roomWei: '100000' },
      },
    ]);
    expect(await ask('a', 1n)).toBe('granted');
    expect(await near()).toHaveLength(1);
    expect(await ask('b', 1n)).toBe('granted');
    expect(await ask('b', 100_000n)).toBe('CLIENT_NETWORK_HOUR_USED');
    expect(await near()).toHaveLength(2);
    await pass(HOUR + 60);
    expect(await use('a', 90_000n)).toBe('granted');
    expect(await ask('a', 1n)).toBe('granted');
    expect(await near()).toHaveLength(3);
  });
});

describe('all networks that are new today', () => {
  it('may cost a quarter of the wallet in an hour together, without networks that landed on an earlier day', async () => {
    await knownSince('known', 1);
    for (const name of ['a', 'b']) expect(await use(name, 90_000n)).toBe('granted');
    expect(await ask('c', 69_997n)).toBe('granted');
    await expect(world.under.ledger.reserve(request('d', 4n))).rejects.toMatchObject({
      reason: 'NEW_NETWORKS_HOUR_USED',
      details: { usedWei: '249997', limitWei: '249999' },
    });
    expect(await ask('known', 1_000n)).toBe('granted');
    await pass(HOUR + 60);
    expect(await ask('d', 70_000n)).toBe('granted');
  });
});

describe('what a network holds at once', () => {
  const ask = (network: string | undefined, expectedWei: bigint, { client: of, ...changes }: Asked = {}) =>
    outcome(holding(network, expectedWei, { client: of, ...changes }));
  const holding = (network: string | undefined, expectedWei: bigint, { client: of, ...changes }: Asked = {}) =>
    request(network, expectedWei, { client: { holdsFreely: false, ...of }, ...changes });

  it('is a hundredth of the wallet, or five ordinary operations, or one of any size', async () => {
    expect(await ask('a', 1n, { prechargeWei: 10_000n })).toBe('granted');
    await expect(world.under.ledger.reserve(holding('a', 1n, { prechargeWei: 1n }))).rejects.toMatchObject({
      reason: 'FUNDING_WALLET_SHARE_REACHED',
      details: { usedWei: '10000', limitWei: '10000' },
    });
    const five = { prechargeWei: 4_000n, client: { ordinaryWei: 4_000n } };
    for (let time = 0; time < 5; time++) expect(await ask('b', 1n, five)).toBe('granted');
    expect(await ask('b', 1n, five)).toBe('FUNDING_WALLET_SHARE_REACHED');
    expect(await ask('c', 1n, { prechargeWei: 300_000n })).toBe('granted');
    expect(await ask('c', 1n, { prechargeWei: 1n })).toBe('FUNDING_WALLET_SHARE_REACHED');
    expect(await ask('c', 1n, { prechargeWei: 1n, client: { holdsFreely: true } })).toBe('granted');
  });

  it('ends when its operation lands, and otherwise when the hold of the wallet ends', async () => {
    const full = { prechargeWei: 10_000n };
    const landing = holding('a', 1n, full);
    expect(await outcome(landing)).toBe('granted');
    expect(await ask('a', 1n, full)).toBe('FUNDING_WALLET_SHARE_REACHED');
    await land(landing);
    expect(await ask('a', 1n, full)).toBe('granted');
    world.chain.mine(301);
    for (let block = 0; block < 4; block++) world.chain.mine(1);
    await world.follow();
    expect(await network('a')).toEqual({ held: 10_000, expected: 1, excess: 0, strikes: 0 });
    world.chain.mine(1);
    await world.follow();
    expect(await network('a')).toEqual({ held: 10_000, expected: 0, excess: 0, strikes: 1 });
    expect(await ask('a', 1n, full)).toBe('FUNDING_WALLET_SHARE_REACHED');
    await world.finalize();
    expect(await world.wallet()).toMatchObject({ held: 0 });
    expect(await ask('a', 1n, full)).toBe('granted');
  });

  it('is not raised for an operation that has landed: it would last until its block is final', async () => {
    const asked = holding('a', 1n, { prechargeWei: 100n });
    expect(await outcome(asked)).toBe('granted');
    await land(asked);
    const again = (prechargeWei: bigint) => answerOf(world.under.ledger.reserve({ ...asked, prechargeWei }));
    expect([await again(100n), await again(101n)]).toEqual(['granted', 'FUNDING_WALLET_SHARE_REACHED']);
    expect(await world.wallet()).toMatchObject({ held: 100 });
  });

  it('halves with each batch of signatures that expire, and is whole again when one lands', async () => {
    const expire = async () => {
      expect(await ask('a', 1n, { prechargeWei: 1n })).toBe('granted');
      await pass(310);
      await world.finalize();
    };
    await expire();
    await expire();
    expect(await network('a')).toMatchObject({ strikes: 2 });
    expect(await ask('a', 1n, { prechargeWei: 2_500n })).toBe('granted');
    expect(await ask('a', 1n, { prechargeWei: 1n })).toBe('FUNDING_WALLET_SHARE_REACHED');
    await pass(310);
    await world.finalize();
    expect(await network('a')).toMatchObject({ strikes: 3, held: 0 });
    const one = holding('a', 1n, { prechargeWei: 9_000n });
    expect(await outcome(one)).toBe('granted');
    expect(await ask('a', 1n, { prechargeWei: 1n })).toBe('FUNDING_WALLET_SHARE_REACHED');
    await land(one);
    expect(await network('a')).toMatchObject({ strikes: 0 });
    expect(await ask('a', 1n, { prechargeWei: 9_000n })).toBe('granted');
    expect(await ask('a', 1n, { prechargeWei: 1_000n })).toBe('granted');
  });

  it('leaves half of the wallet to senders that landed within seven days', async () => {
    const sender = hex(20, 0x5e);
    const known = { sender, nonce: 1n };
    expect(await use('a', 1n, { sender })).toBe('granted');
    const half = { prechargeWei: 249_999n };
    expect([await ask('b', 1n, half), await ask('c', 1n, half)]).toEqual(['granted', 'granted']);
    expect(await ask('d', 1n, { prechargeWei: 3n })).toBe('FUNDING_WALLET_SHARE_REACHED');
    expect(await ask(undefined, 1n, { prechargeWei: 1n })).toBe('granted');
    expect(await ask('d', 1n, { ...known, prechargeWei: 400_000n })).toBe('granted');
    await pass(8 * DAY);
    await world.finalize();
    expect([await ask('b', 1n, half), await ask('c', 1n, half)]).toEqual(['granted', 'granted']);
    expect(await ask('d', 1n, { ...known, nonce: 2n })).toBe('FUNDING_WALLET_SHARE_REACHED');
  });

  it('leaves senders that landed lately the part of a limit that all strangers share', async () => {
    const sender = hex(20, 0x5e);
    expect(await use('a', 1n, { sender })).toBe('granted');
    const claims = [
      aBudgetClaim({ key: 'limit', limit: 10n }),
      aBudgetClaim({
        ...{ key: 'limit:strangers', live: true, share: { percent: 50, of: 'limit', isOfStrangers: true } },
        refusal: { rule: 'share', reason: 'SHARE', message: 'too much' },
      }),
    ];
    const answers = [];
    for (let time = 0; time < 6; time++) answers.push(await ask(`n${time}`, 1n, { claims }));
    expect(answers).toEqual([...Array.from({ length: 5 }, () => 'granted'), 'SHARE']);
    for (let nonce = 1n; nonce <= 5n; nonce++) expect(await ask('b', 1n, { sender, nonce, claims })).toBe('granted');
    expect(await ask('b', 1n, { sender, nonce: 6n, claims })).toBe('SPENDING_LIMIT_REACHED');
  });
});

it('bounds a testnet only by the brake and by what is held at once', async () => {
  const testnet = { client: { isTestnet: true, holdsFreely: false, excessWei: 900_000n, roomMillionths: 1n } };
  expect(await ask('a', 400_000n, { ...testnet, prechargeWei: 400_000n })).toBe('granted');
  expect(await ask('a', 1n, { ...testnet, prechargeWei: 1n })).toBe('FUNDING_WALLET_SHARE_REACHED');
  expect(await ask('b', 100_001n, { ...testnet, brakeReleasedAtMs: 0, prechargeWei: 1n })).toBe('SPENDING_BRAKE');
  expect(await near()).toEqual([]);
});

it('refuses nobody for what settlement has not seen yet, up to the brake', async () => {
  expect(await ask('a', 100_000n)).toBe('granted');
  expect(await ask('b', 100_000n)).toBe('granted');
  const late = { nowSeconds: now() + 61, headTimeSeconds: now() + 61, client: { holdsFreely: false } };
  expect(await ask('a', 60_000n, { ...late, headTimeSeconds: now() + 60 })).toBe('CLIENT_NETWORK_HOUR_USED');
  expect(await ask('c', 60_000n, { ...late, headTimeSeconds: now() + 60 })).toBe('NEW_NETWORKS_HOUR_USED');
  // Settlement saw a moment ago that there is no newer block, so it is not late on a chain that pauses.
  await world.under.pool.query('UPDATE ledger.cursors SET checked_at = clock_timestamp()');
  expect(await ask('a', 60_000n, late)).toBe('CLIENT_NETWORK_HOUR_USED');
  await world.under.pool.query("UPDATE ledger.cursors SET checked_at = clock_timestamp() - interval '61 seconds'");
  expect(await ask('a', 60_000n, late)).toBe('granted');
  expect(await ask('c', 60_000n, late)).toBe('granted');
  expect(await ask('a', 11n, { ...late, client: { excessWei: 10_001n } })).toBe('ASKED_BEYOND_OWN_ANSWER');
  expect(await ask('a', 200_001n, { ...late, brakeReleasedAtMs: 0, prechargeWei: 200_001n })).toBe('SPENDING_BRAKE');
});

it('forgets networks, days and senders that nobody asks for any more', async () => {
  expect(await use('a', 1n)).toBe('granted');
  expect(await ask('b', 1n)).toBe('granted');
  await pass(2 * DAY);
  await world.finalize();
  const rows = async () => {
    await world.under.books.prune(world.under.lease, { blocks: 1, outboxDays: 1 });
    const tables = ['networks', 'network_uses', 'network_days', 'senders'];
    const counts = tables.map((table) => `(SELECT count(*)::int FROM ledger.${table}) AS ${table}`);
    return (await world.under.pool.query<object>(`SELECT ${counts.join()}`)).rows;
  };
  // Network a landed within seven days; b had a strike for a day.
  expect(await rows()).toEqual([{ networks: 2, network_uses: 0, network_days: 1, senders: 1 }]);
  await pass(8 * DAY);
  await world.finalize();
  expect(await rows()).toEqual([{ networks: 0, network_uses: 0, network_days: 0, senders: 0 }]);
});

/** Markets for a wallet of 1 ETH: the price of gas in gwei, and the tip's part of it. */
const MARKETS = [...[2, 10].map((gwei) => ({ gwei, tip: 0.5 })), { gwei: 2, tip: 0 }];
const ETHER = 10n ** 18n;
/** The numbers that the gateway computes for small operations in such a market (ADR 0025). */
function marketOf({ gwei, tip }: (typeof MARKETS)[number]) {
  const priceWei = BigInt(Math.round(gwei * 1e9));
  const keptMillionths = BigInt(Math.round((tip + (1 - tip) / 3) * 1e6));
  const bounds: Partial<ClientAsk> = {
    ...{ holdsFreely: false, roomMillionths: 20_000_000_000n / keptMillionths },
    ...{ leastRoomWei: 10_000_000n * priceWei, ordinaryWei: 1_000_000n * priceWei },
  };
  return { priceWei, keptMillionths, bounds };
}

describe.each(MARKETS)('the drain of a wallet of 1 ETH at $gwei gwei, of which $tip is tip', (market) => {
  const { priceWei, keptMillionths, bounds } = marketOf(market);
  /**
   * The most that one operation costs. Where gas is cheap this is more than chains allow, because only the sum of all
   * operations matters.
   */
  const mostWei = [5_000_000n * priceWei, ETHER / 100n].reduce((one, other) => (one > other ? one : other));
  /** The part of such an operation's cost that is tip, when the tip is at its bound. */
  const MOST_EXCESS_PERCENT = 35n;
  const inEther = (wei: bigint) => Number(wei) / 1e18;
  const greedy = (name: string, wei: bigint, excessWei: bigint) =>
    request(name, wei, { prechargeWei: wei, brakeReleasedAtMs: 0, client: { ...bounds, excessWei } });

  /** Takes the largest operations that are granted, and lands each: what the wallet paid, and what he kept of it. */
  async function drain(name: string): Promise<{ paid: number; kept: number }> {
    let [paidWei, keptWei] = [0n, 0n];
    let wei = mostWei;
    while (wei > mostWei / 10n) {
      let asked = greedy(name, wei, (wei * MOST_EXCESS_PERCENT) / 100n);
      let answer = await reserved(asked);
      if (answer !== 'granted') answer = await reserved((asked = greedy(name, wei, 0n)));
      if (answer !== 'granted') {
        wei /= 2n;
        continue;
      }
      await land(asked);
      const { excessWei } = asked.client!;
      paidWei += wei;
      keptWei += excessWei + ((wei - excessWei) * keptMillionths) / 1_000_000n;
    }
    return { paid: inEther(paidWei), kept: inEther(keptWei) };
  }

  it('is in an hour what docs/threats.md says, by one network and by any number of them', async () => {
    await world.depositForGood(ETHER - DEPOSIT);
    const one = await drain('n0');
    const all = { ...one };
    for (let networks = 1, taken = one; taken.paid > 0; networks++) {
      taken = await drain(`n${networks}`);
      all.paid += taken.paid;
      all.kept += taken.kept;
    }
    const { gwei, tip } = market;
    const table = [gwei, tip, one.paid, one.kept, all.paid, all.kept].map((each) => each.toFixed(4));
    process.stdout.write(`gwei, tip, one paid, one kept, all paid, all kept: ${table.join(' ')}\n`);
    const leastRoom = Math.min(0.1, 0.01 * gwei);
    expect(one.paid).toBeLessThanOrEqual(Math.max(tip > 0 ? 0.03 : 0.06, leastRoom) + 1e-6);
    expect(one.kept).toBeLessThanOrEqual(leastRoom > 0.03 ? 0.079 : 0.03);
    expect(all.paid).toBeLessThanOrEqual(0.25 + 1e-6);
    expect(all.kept).toBeLessThanOrEqual(0.21);
  });
});

describe('of a wallet of 1 ETH at 2 gwei, of which half is tip', () => {
  const { priceWei, bounds } = marketOf({ gwei: 2, tip: 0.5 });

  /** Small operations with our own limits and the fees of usual wallets, so many at once; each lands. */
  async function serve(count: number, atOnce: number, network: (index: number) => string | undefined): Promise<number> {
    const expectedWei = 250_000n * priceWei;
    const client = { ...bounds, isOwnAnswer: true };
    const wish = { prechargeWei: 2n * expectedWei, brakeReleasedAtMs: 0, client };
    for (let granted = 0; granted < count; granted += atOnce) {
      const asked = Array.from({ length: atOnce }, (_, index) => request(network(granted + index), expectedWei, wish));
      for (const [index, each] of asked.entries()) if ((await reserved(each)) !== 'granted') return granted + index;
      for (const each of asked) await land(each);
    }
    return count;
  }

  it('a person who tries, an office behind one address, a named server and a launch day are served', async () => {
    await world.depositForGood(ETHER - DEPOSIT);
    expect(await serve(20, 1, () => 'person')).toBe(20);
    expect(await serve(50, 10, () => 'office')).toBe(50);
    expect(await serve(60, 10, () => undefined)).toBe(60);
    expect(await serve(60, 10, (index) => `home ${index}`)).toBe(60);
  });
});

describe('a freeze: networks ask for signatures that never land', () => {
  const GWEI = 10n ** 9n;
  /** At 2 gwei; the attacker asks for high limits and fees, and his honest form would hold 0.0003 ETH. */
  const ONE = { prechargeWei: (77n * ETHER) / 10_000n, expectedWei: (3n * ETHER) / 10_000n };
  const ordinaryWei = 1_000_000n * 2n * GWEI;
  const bounds = {
    ...{ holdsFreely: false, roomMillionths: 40_000n, leastRoomWei: 10n * ordinaryWei, ordinaryWei },
  };
  const honest = { prechargeWei: (6n * ETHER) / 10_000n, expectedWei: (3n * ETHER) / 10_000n, brakeReleasedAtMs: 0 };

  /**
   * Networks take all that they get, one after the other, until half of the wallet is held. @returns the number of
   * networks
   */
  async function freeze(ofNetwork: (name: string) => ReserveRequest): Promise<number> {
    for (let networks = 1; ; networks++) {
      while ((await reserved(ofNetwork(`n${networks}`))) === 'granted');
      if ((await heldWei()) * 2n >= ETHER - 2n * ONE.prechargeWei) return networks;
    }
  }
  const heldWei = async () => {
    const { rows } = await world.under.pool.query<{ held_wei: string }>('SELECT held_wei FROM ledger.wallets');
    return BigInt(rows[0]!.held_wei);
  };

  beforeEach(() => world.depositForGood(ETHER - DEPOSIT));

  it('took at most nine networks when each had half of what was left, and all that was signed counted as held', async () => {
    const { prechargeWei } = ONE;
    const took = await freeze((name) => {
      const claims = [
        aBudgetClaim({
          ...{ key: `share:${name}`, live: true, unit: 'wei', amount: prechargeWei },
          ...{ share: { percent: 50, of: WALLET } },
        }),
      ];
      return request(undefined, prechargeWei, { prechargeWei, claims, brakeReleasedAtMs: 0 });
    });
    process.stdout.write(`before: ${took} networks hold ${await heldWei()} wei\n`);
    expect(took).toBeLessThanOrEqual(9);
    expect(await outcome(request(undefined, prechargeWei, { prechargeWei, brakeReleasedAtMs: 0 }))).toBe(
      'SPENDING_BRAKE',
    );
  });

  it('takes fifty networks, leaves senders that landed before their half, and ends a validity after the last request', async () => {
    const sender = hex(20, 0x5e);
    const mine = (nonce: bigint) => request('home', 1n, { ...honest, sender, nonce, client: bounds });
    const first = mine(0n);
    expect(await outcome(first)).toBe('granted');
    await land(first);
    const took = await freeze((name) => request(name, 1n, { ...ONE, brakeReleasedAtMs: 0, client: bounds }));
    process.stdout.write(`after: ${took} networks hold ${await heldWei()} wei\n`);
    expect(took).toBeGreaterThanOrEqual(50);
    await freeze((name) => request(`more ${name}`, 1n, { ...honest, client: bounds }));
    expect(await outcome(request('x', 1n, { ...honest, client: bounds }))).toBe('FUNDING_WALLET_SHARE_REACHED');
    for (let nonce = 1n; nonce <= 4n; nonce++) expect(await outcome(mine(nonce))).toBe('granted');
    await pass(310);
    expect(await outcome(request('x', 1n, { ...honest, client: bounds }))).toBe('granted');
  });
});
