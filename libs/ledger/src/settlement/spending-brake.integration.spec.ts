import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { WALLET, type Ledger, type ReserveRequest } from '../gateway/ledger';
import { openLedger } from '../gateway/open-ledger';
import { SpendingBrakeError } from '../gateway/spending-brake.error';
import { aBudgetClaim, UNHURRIED } from '../testing';
import { CHAIN_ID } from './testing/books-under-test';
import { ACCOUNT, OneWallet } from './testing/one-wallet';
import { operationOf, paymasterId, reserveRequest, SENDER } from './testing/reserve-request';
import { hex, type ModelOperation } from './testing/model-chain';
import { randomOf, type Random } from './testing/random';

const HOUR = 3_600;

let postgres: TestDatabase;
let world: OneWallet;
let nonce: bigint;
beforeAll(async () => (postgres = await openDatabase()));
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await OneWallet.open(postgres.url);
  nonce = 0n;
});
afterEach(() => world.close());

const OFF = { brakeReleasedAtMs: undefined };
/** A request with the next nonce, with the brake on, at the chain's time. */
const request = (prechargeWei: bigint, changes: Partial<ReserveRequest> = {}) =>
  reserveRequest({
    ...{ prechargeWei, nonce: nonce++, brakeReleasedAtMs: 0 },
    nowSeconds: world.chain.head.timeSeconds,
    validUntilSeconds: world.chain.head.timeSeconds + 300,
    ...changes,
  });
const answerOf = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => 'granted',
    (error: { reason?: string }) => error.reason ?? String(error),
  );
const outcome = (asked: ReserveRequest, ledger: Ledger = world.under.ledger) => answerOf(ledger.reserve(asked));
const ask = (prechargeWei: bigint, changes: Partial<ReserveRequest> = {}) => outcome(request(prechargeWei, changes));
/** Signs an operation and lands it in a block of its own, which settlement applies, and finalizes if asked. */
async function lose(
  prechargeWei: bigint,
  {
    chargedWei = prechargeWei,
    isFinal = true,
    ...changes
  }: Partial<ReserveRequest> & { chargedWei?: bigint; isFinal?: boolean } = {},
): Promise<string> {
  const asked = request(prechargeWei, changes);
  const answer = await outcome(asked);
  if (answer !== 'granted') return answer;
  world.chain.mine(1);
  world.chain.land(operationOf(asked, Number(asked.nonce) + 1), { chargedWei, success: true });
  await (isFinal ? world.finalize() : world.follow());
  return answer;
}
/** Lets time on chain pass. */
async function pass(seconds: number): Promise<void> {
  world.chain.mine(seconds);
  await world.finalize();
}
const brake = async () =>
  (
    await world.under.pool.query<{ held: string; landed: string; stopped: boolean }>(
      `SELECT held_wei AS held, landed_wei AS landed, stopped_at IS NOT NULL AS stopped FROM ledger.brakes ORDER BY paymaster_id`,
    )
  ).rows;
const stops = async () =>
  (await world.under.pool.query<{ payload: object }>(`SELECT payload FROM ledger.outbox WHERE kind = 'walletBraked'`))
    .rows;

describe('the spending brake', () => {
  it.each([
    [10_000n, 4_990n, 10n, 11n],
    [9_999n, 4_990n, 9n, 10n],
    [10_001n, 4_990n, 10n, 11n],
  ])('of a wallet of %p wei lets half be held, to the wei', async (deposit, first, fits, tooMuch) => {
    await world.depositForGood(deposit);
    expect(await ask(first)).toBe('granted');
    await expect(world.under.ledger.reserve(request(tooMuch))).rejects.toMatchObject({
      reason: 'SPENDING_BRAKE',
      details: { roomWei: fits.toString(), neededWei: tooMuch.toString(), lostWei: '0' },
    });
    expect(await ask(fits)).toBe('granted');
    expect(await ask(1n)).toBe('SPENDING_BRAKE');
    expect(await ask(1n, OFF)).toBe('granted');
  });

  it('lets half be lost within an hour, whatever part of it landed and is final', async () => {
    await world.depositForGood(10_000n);
    expect(await lose(1_500n, { chargedWei: 1_000n })).toBe('granted');
    expect(await lose(1_500n, { chargedWei: 1_000n, isFinal: false })).toBe('granted');
    // It lost 2,000: a landed operation counts as billed, also before it is final.
    expect(await ask(3_001n)).toBe('SPENDING_BRAKE');
    expect(await lose(3_000n)).toBe('granted');
    expect(await brake()).toEqual([{ held: '0', landed: '0', stopped: false }]);
    expect(await ask(1n)).toBe('SPENDING_BRAKE');
    expect(await brake()).toEqual([{ held: '0', landed: '0', stopped: true }]);
  });

  it('refuses because of signatures only while they live, and does not stop the paymaster for them', async () => {
    await world.depositForGood(10_000n);
    for (let count = 0; count < 5; count++) expect(await ask(1_000n)).toBe('granted');
    for (let count = 0; count < 3; count++) expect(await ask(1_000n)).toBe('SPENDING_BRAKE');
    expect(await stops()).toEqual([]);
    await pass(301);
    expect(await ask(5_000n)).toBe('granted');
    expect(await brake()).toEqual([{ held: '5000', landed: '0', stopped: false }]);
  });

  it('does not stop a paymaster while less than a quarter of the wallet is really lost, however much is held', async () => {
    await world.depositForGood(10_000n);
    expect(await lose(2_499n)).toBe('granted');
    expect(await ask(2_501n)).toBe('granted');
    for (const wei of [1n, 2_000n, 7_501n]) expect(await ask(wei)).not.toBe('granted');
    expect(await brake()).toMatchObject([{ stopped: false }]);
    expect(await stops()).toEqual([]);
  });

  it('stops once, tells the owner once, and an hour does not release it', async () => {
    await world.depositForGood(10_000n);
    const told: unknown[] = [];
    const ledger = openLedger({ databaseUrl: world.under.url, ...UNHURRIED, onStop: (stop) => told.push(stop) });
    await lose(2_500n);
    await lose(2_500n);
    const asked = request(1n);
    expect(await outcome(asked, ledger)).toBe('SPENDING_BRAKE');
    expect(await outcome(request(1n), ledger)).toBe('SPENDING_BRAKE');
    const { contract, wallet } = ACCOUNT;
    expect(told).toEqual([{ chainId: CHAIN_ID, contract, wallet, paymasterId: asked.paymasterId, lostWei: 5_000n }]);
    expect(await stops()).toEqual([
      {
        payload: {
          ...{ kind: 'walletBraked', chainId: CHAIN_ID, paymasterId: asked.paymasterId, contract },
          ...{ fundingWallet: wallet, lostWei: '5000', leftWei: '5000', releasedAtMs: 0 },
        },
      },
    ]);
    await pass(2 * HOUR);
    await world.depositForGood(100_000n);
    expect(await ask(1n)).toBe('SPENDING_BRAKE');
    expect(await stops()).toHaveLength(1);
    await ledger.close();
  });

  it('is free again after an hour of the chain, where it did not stop', async () => {
    await world.depositForGood(10_000n);
    const landedAt = world.chain.head.timeSeconds + 1;
    await lose(5_000n);
    const wholeMinutes = Math.floor(landedAt / 60) * 60;
    await pass(wholeMinutes + HOUR + 59 - world.chain.head.timeSeconds);
    expect(await ask(1n, { validUntilSeconds: 2 ** 32 })).toBe('SPENDING_BRAKE');
    await world.under.pool.query('UPDATE ledger.brakes SET stopped_at = NULL');
    await pass(1);
    expect(await ask(2_500n)).toBe('granted');
    expect(await ask(1n)).toBe('SPENDING_BRAKE');
  });

  it('lets the hour end now if settlement confirms that the chain stands still, and never because a gateway says so', async () => {
    await world.depositForGood(10_000n);
    await lose(2_400n);
    expect(await ask(2_600n)).toBe('granted');
    const later = {
      nowSeconds: world.chain.head.timeSeconds + HOUR + 120,
      headTimeSeconds: world.chain.head.timeSeconds,
    };
    const far = openLedger({ databaseUrl: world.under.url, ...UNHURRIED, maxLagSeconds: 86_400 });
    expect(await outcome(request(1_000n, later), far)).toBe('SPENDING_BRAKE');
    await world.under.books.confirmHead(world.under.lease, world.chain.head);
    expect(await outcome(request(1_000n, later), far)).toBe('granted');
    await far.close();
  });

  it('gives back what an undone block took, and counts it again when it lands again', async () => {
    await world.depositForGood(10_000n);
    expect(await lose(3_000n, { chargedWei: 2_600n, isFinal: false })).toBe('granted');
    expect(await brake()).toEqual([{ held: '3000', landed: '2600', stopped: false }]);
    await world.undo(1);
    expect(await brake()).toEqual([{ held: '3000', landed: '0', stopped: false }]);
    const { rows } = await world.under.pool.query('SELECT lost_wei FROM ledger.losses WHERE lost_wei > 0');
    expect(rows).toEqual([]);
    // Nothing is lost, so the hold only refuses and does not stop the paymaster.
    expect(await ask(2_001n)).toBe('SPENDING_BRAKE');
    expect(await brake()).toMatchObject([{ stopped: false }]);
    await pass(301);
    expect(await ask(5_000n)).toBe('granted');
  });

  it('counts a deposit as if it had been there, and stops at half of both', async () => {
    await world.depositForGood(10_000n);
    await lose(5_000n);
    await world.depositForGood(10_002n);
    expect(await ask(5_001n)).toBe('granted');
    expect(await ask(1n)).toBe('SPENDING_BRAKE');
    expect(await brake()).toMatchObject([{ held: '5001', stopped: false }]);
  });

  it('lets one operation of any size through where nothing is held or lost, so that a small wallet stays usable', async () => {
    await world.depositForGood(1_000n);
    const first = request(900n);
    expect(await outcome(first)).toBe('granted');
    expect(await outcome({ ...first, prechargeWei: 950n })).toBe('granted');
    expect(await ask(10n)).toBe('SPENDING_BRAKE');
    world.chain.mine(1);
    world.chain.land(operationOf({ ...first, prechargeWei: 950n }, 1), { chargedWei: 300n, success: true });
    await world.finalize();
    // Lost 300 of 1,000: 200 more.
    expect(await ask(200n)).toBe('granted');
    expect(await ask(1n)).toBe('SPENDING_BRAKE');
  });

  it('stops one paymaster of a wallet and not the others, which have half of what is left', async () => {
    await world.depositForGood(10_000n);
    const other = { paymasterId: paymasterId(2) };
    await lose(5_000n);
    expect(await ask(1n)).toBe('SPENDING_BRAKE');
    expect(await lose(1_000n, other)).toBe('granted');
    expect(await ask(1_501n, other)).toBe('SPENDING_BRAKE');
    expect(await ask(1_500n, other)).toBe('granted');
    expect(await brake()).toMatchObject([{ stopped: true }, { stopped: false }]);
  });

  it('does not stop another paymaster because of what strangers hold of the same wallet', async () => {
    await world.depositForGood(10_000n);
    const other = { paymasterId: paymasterId(2) };
    await lose(2_000n, other);
    expect(await ask(7_900n, OFF)).toBe('granted');
    expect(await ask(50n, other)).toBe('SPENDING_BRAKE');
    expect(await stops()).toEqual([]);
  });

  it('is released by the owner for every gateway, and starts counting again', async () => {
    await world.depositForGood(10_000n);
    await lose(5_000n);
    expect(await ask(1n)).toBe('SPENDING_BRAKE');
    expect(await ask(2_500n, { brakeReleasedAtMs: 7 })).toBe('granted');
    // A gateway that does not know of the release yet can't undo it.
    const old = request(0n, { brakeReleasedAtMs: 0 });
    expect(await outcome(old)).toBe('granted');
    expect(await ask(1n, { brakeReleasedAtMs: 7 })).toBe('SPENDING_BRAKE');
    expect(await brake()).toMatchObject([{ stopped: false }]);
    await pass(301);
    await lose(2_500n, { brakeReleasedAtMs: 7 });
    expect(await ask(1n, { brakeReleasedAtMs: 7 })).toBe('SPENDING_BRAKE');
    expect(await brake()).toMatchObject([{ stopped: true }]);
    expect(await stops()).toMatchObject([{ payload: { releasedAtMs: 0 } }, { payload: { releasedAtMs: 7 } }]);
    expect(await ask(1_000n, { brakeReleasedAtMs: 8 })).toBe('granted');
  });

  it('answers beforehand as reserving will', async () => {
    await world.depositForGood(10_000n);
    const look = async (asked: ReserveRequest) => {
      const ledger = openLedger({ databaseUrl: world.under.url, ...UNHURRIED });
      const said = await answerOf(ledger.assertBrakeLeaves(asked.prechargeWei, asked, { isExplained: true }));
      await ledger.close();
      return said;
    };
    const wants = async (asked: ReserveRequest): Promise<string> => {
      const said = await look(asked);
      expect(await outcome(asked)).toBe(said);
      return said;
    };
    const first = request(6_000n);
    expect(await wants(first)).toBe('granted');
    expect(await wants({ ...first, prechargeWei: 6_100n })).toBe('granted');
    expect(await wants(request(1n))).toBe('SPENDING_BRAKE');
    expect(await wants(request(1n, OFF))).toBe('granted');
    await pass(301);
    await lose(2_400n);
    expect(await wants(request(2_600n))).toBe('granted');
    expect(await wants(request(1n))).toBe('SPENDING_BRAKE');
    await pass(301);
    await lose(2_600n);
    expect(await wants(request(1n))).toBe('SPENDING_BRAKE');
    await world.depositForGood(10_000n);
    expect(await wants(request(1n))).toBe('SPENDING_BRAKE');
    expect(await wants(request(1n, { brakeReleasedAtMs: 1 }))).toBe('granted');
  });

  it('does not refuse beforehand when it would stop the paymaster, except for explanations', async () => {
    await world.depositForGood(10_000n);
    await lose(4_990n);
    const asked = request(100n);
    const look = async (isExplained: boolean) => {
      const ledger = openLedger({ databaseUrl: world.under.url, ...UNHURRIED });
      const said = await answerOf(ledger.assertBrakeLeaves(100n, asked, { isExplained }));
      const share = { ...aBudgetClaim(), share: { percent: 100, of: WALLET } };
      const limits = await ledger.peek([share], asked).then(
        (uses) => uses.map(({ limit }) => limit),
        (error: { reason?: string }) => error.reason,
      );
      await ledger.close();
      return [said, limits];
    };
    // A share of everything that is left of the wallet, so that no request is refused for another reason first.
    expect(await look(false)).toEqual(['granted', [5_010n]]);
    expect(await look(true)).toEqual(['SPENDING_BRAKE', [5_010n]]);
    expect(await outcome(asked)).toBe('SPENDING_BRAKE');
    expect(await stops()).toHaveLength(1);
    expect(await look(false)).toEqual(['SPENDING_BRAKE', 'SPENDING_BRAKE']);
  });

  it('grants exactly half to many clients that ask several gateways at once', async () => {
    await world.depositForGood(100_003n);
    const gateways = [1, 2, 3, 4].map(() => openLedger({ databaseUrl: world.under.url, ...UNHURRIED }));
    const asked = Array.from({ length: 400 }, (_, index) =>
      request(BigInt(500 + ((index * 37) % 501)), { sender: index % 2 ? SENDER : hex(20, index) }),
    );
    const answers = await Promise.all(asked.map((each, index) => outcome(each, gateways[index % 4]!)));
    const granted = asked.filter((_, index) => answers[index] === 'granted');
    const sum = granted.reduce((total, { prechargeWei }) => total + prechargeWei, 0n);
    expect(new Set(answers)).toEqual(new Set(['granted', 'SPENDING_BRAKE']));
    expect(sum).toBeLessThanOrEqual(50_001n);
    // No request asked for less than what is left.
    expect(50_001n - sum).toBeLessThan(500n);
    expect(await brake()).toEqual([{ held: sum.toString(), landed: '0', stopped: false }]);
    await Promise.all(gateways.map((gateway) => gateway.close()));
  });

  it.each([0, 1])(
    'loses no more than half within any hour, whatever strangers, reorgs, settlement and owner do (seed + %p)',
    async (plus) => {
      await world.depositForGood(WHOLE_WEI);
      const attack = new Attack(world, randomOf(Number(process.env['TEST_SEED']) + plus));
      await attack.run(400);
      expect(attack.worstPercent).toBeGreaterThan(25);
      expect(attack.worstPercent).toBeLessThanOrEqual(50);
      const { granted, landed, reorgs, releases } = attack.counts;
      expect([granted > 100, landed > 50, reorgs > 5, releases > 0]).toEqual([true, true, true, true]);
    },
  );
});

const WHOLE_WEI = 1_000_000n;

/** An attacker who knows everything; the chain and settlement behave at random. */
class Attack {
  readonly counts = { granted: 0, landed: 0, reorgs: 0, releases: 0 };
  /** The most that was lost within an hour, in percent of what the wallet had before. */
  worstPercent = 0;
  private readonly signed: ModelOperation[] = [];
  /** Losses since the owner's last release, by operation hash. */
  private readonly landed = new Map<string, { readonly wei: bigint; readonly timeSeconds: number }>();
  /** Landed before the release, and may land again after a reorg. */
  private readonly forgiven = new Set<string>();
  private releasedAtMs = 0;
  private isStopped = false;
  private finalNumber: bigint;

  constructor(
    private readonly world: OneWallet,
    private readonly random: Random,
  ) {
    this.finalNumber = world.chain.head.number;
  }

  async run(steps: number): Promise<void> {
    const options = { databaseUrl: this.world.under.url, ...UNHURRIED };
    const gateways = [openLedger(options), openLedger(options)];
    for (let step = 0; step < steps; step++) {
      const act = this.random.int(0, 15);
      if (act < 5) await this.ask(gateways);
      else if (act < 10) this.land();
      else if (act < 11) this.world.chain.mine(this.random.int(60, HOUR + 100));
      else if (act < 13) await this.world.follow();
      else if (act < 14) await this.finalize();
      else if (act < 15) await this.reorganize();
      else if (this.isStopped) await this.release();
    }
    await Promise.all(gateways.map((gateway) => gateway.close()));
  }

  /** Sends several requests at once to both gateways, and some of them again for a higher amount. */
  private async ask(gateways: readonly Ledger[]): Promise<void> {
    const { head } = this.world.chain;
    const requests = Array.from({ length: this.random.int(1, 6) }, () => {
      const again = this.random.chance(0.1) ? this.signed.at(-1) : undefined;
      return request((this.balanceWei * BigInt(this.random.int(1, 60))) / 1_000n, {
        ...(again && { nonce: again.nonce }),
        ...{ brakeReleasedAtMs: this.releasedAtMs, headTimeSeconds: head.timeSeconds },
        validUntilSeconds: head.timeSeconds + this.random.int(60, 900),
      });
    });
    const answers = await Promise.allSettled(requests.map((each, at) => gateways[at % 2]!.reserve(each)));
    for (const [at, answer] of answers.entries()) {
      if (answer.status === 'fulfilled') {
        this.counts.granted++;
        this.signed.push(operationOf(requests[at]!, this.counts.granted));
      } else if (answer.reason instanceof SpendingBrakeError) this.isStopped ||= !answer.reason.room;
    }
  }

  private land(): void {
    const { chain } = this.world;
    chain.mine(this.random.int(1, 120));
    for (const operation of this.signed.slice(-12)) {
      if (!chain.isValid(operation) || this.random.chance(0.4)) continue;
      const wei = (operation.prechargeWei * BigInt(this.random.int(60, 100))) / 100n;
      chain.land(operation, { chargedWei: wei, success: false });
      this.counts.landed++;
      if (!this.forgiven.has(operation.userOpHash))
        this.landed.set(operation.userOpHash, { wei, timeSeconds: chain.head.timeSeconds });
    }
    const since = chain.head.timeSeconds - HOUR;
    const lost = [...this.landed.values()].reduce((sum, each) => sum + (each.timeSeconds > since ? each.wei : 0n), 0n);
    this.worstPercent = Math.max(this.worstPercent, Number((lost * 10_000n) / (lost + this.balanceWei)) / 100);
  }

  private async finalize(): Promise<void> {
    await this.world.finalize();
    this.finalNumber = this.world.chain.head.number;
    if (this.random.chance(0.5))
      await this.world.under.books.confirmHead(this.world.under.lease, this.world.chain.head);
  }

  /** The operations of these blocks may land again. */
  private async reorganize(): Promise<void> {
    await this.world.follow();
    const depth = Math.min(this.random.int(1, 3), Number(this.world.chain.head.number - this.finalNumber));
    if (depth === 0) return;
    this.counts.reorgs++;
    for (const hash of await this.world.undo(depth)) this.landed.delete(hash);
  }

  private async release(): Promise<void> {
    await this.world.follow();
    this.counts.releases++;
    this.releasedAtMs++;
    this.isStopped = false;
    for (const hash of this.landed.keys()) this.forgiven.add(hash);
    this.landed.clear();
    await this.world.depositForGood(WHOLE_WEI - this.balanceWei);
    this.finalNumber = this.world.chain.head.number;
  }

  private get balanceWei(): bigint {
    return this.world.chain.wallet(ACCOUNT).balanceWei;
  }
}
