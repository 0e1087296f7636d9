import {
  DependencyUnavailableError,
  FundingWalletError,
  SponsorshipRefusedError,
  type Address,
} from '@paymaster/domain';
import type { ReserveRequest } from '../../gateway/ledger';
import { GENESIS, type BooksUnderTest } from './books-under-test';
import { accountKey, hex, ModelChain, type ModelOperation } from './model-chain';
import { randomOf, type Random } from './random';
import { claim, ENTRY_POINT, paymasterId, reserveRequest } from './reserve-request';
import { REORG_WINDOW, SimulatedSettlement } from './simulated-settlement';

export interface SimulationOptions {
  readonly seed: number;
  /**
   * The least number of rounds. The simulation continues, for up to ten times as many rounds, until {@link least} has
   * happened, and also the consequences of lost reservations.
   */
  readonly rounds: number;
  /** What must happen, so that the run tests something. */
  readonly least?: Partial<SimulationCounts>;
  /** Whether operations land that the ledger lost, as after a restored backup. */
  readonly losesReservations?: boolean;
}

/** Counts of what happened. */
export interface SimulationCounts {
  granted: number;
  refused: number;
  landed: number;
  reorgs: number;
  late: number;
  leaders: number;
}

const ACCOUNTS = [0, 1, 2, 3].map((index) => ({
  contract: hex(20, 0xc0 + (index % 2)),
  wallet: hex(20, 0xf0 + (index >> 1)),
}));
const SENDERS = [1, 2, 3, 4, 5, 6].map((index) => hex(20, 0x5e00 + index));
const PAYMASTERS = [0, 1, 2, 3, 4, 5];

/**
 * Simulates a chain, gateways and a settlement with random events: deposits, withdrawals, bursts of reservations, early
 * and late operations, reorgs that include operations again at another cost, blocks that are applied twice, and leaders
 * that lost their lease.
 */
export class Simulation {
  readonly chain = new ModelChain(GENESIS);
  readonly counts: SimulationCounts = { granted: 0, refused: 0, landed: 0, reorgs: 0, late: 0, leaders: 1 };
  private readonly random: Random;
  /** Every signature that was given. */
  private readonly signed: ModelOperation[] = [];
  private readonly settlement: SimulatedSettlement;

  constructor(
    private readonly under: BooksUnderTest,
    private readonly options: SimulationOptions,
  ) {
    this.random = randomOf(options.seed);
    this.settlement = new SimulatedSettlement({ under, chain: this.chain, random: this.random });
  }

  /** Runs all rounds, then lets time pass until nothing can land any more and everything is final. */
  async run(): Promise<void> {
    const { rounds, losesReservations = false } = this.options;
    for (let round = 0; round < rounds || (!this.hasSeenEnough() && round < 10 * rounds); round++) {
      this.advanceChain();
      // Gateways and settlement meet in the database.
      await Promise.all([this.reserveBurst(), this.settlement.doSomething()]);
      if (!losesReservations) await this.settlement.compareWallets();
      this.counts.leaders = this.settlement.leaders;
    }
    this.chain.mine(10_000);
    await this.settlement.finish();
  }

  /** The events of {@link SimulationOptions.least} that have not happened. */
  missing(): readonly string[] {
    const { least = {} } = this.options;
    return Object.entries(least).flatMap(([what, count]) =>
      this.counts[what as keyof SimulationCounts] < count ? [what] : [],
    );
  }

  private hasSeenEnough(): boolean {
    const hasFound = this.under.findings.length > 0 || this.options.losesReservations !== true;
    return hasFound && this.missing().length === 0;
  }

  private advanceChain(): void {
    const undone = new Set<string>();
    if (this.random.chance(0.1) && this.chain.head.number > GENESIS.number + BigInt(REORG_WINDOW)) {
      const depth = this.random.int(1, REORG_WINDOW);
      for (const hash of this.chain.undo(depth)) undone.add(hash);
      this.counts.reorgs++;
      for (let mined = 0; mined < depth; mined++) this.mineBlock(undone);
    }
    for (let mined = this.random.int(1, 3); mined > 0; mined--) this.mineBlock(undone);
  }

  private mineBlock(undone: ReadonlySet<string>): void {
    this.chain.mine(this.secondsToNextBlock());
    const account = this.random.pick(ACCOUNTS);
    const amountWei = BigInt(this.random.int(1, 20_000));
    if (this.random.chance(0.3)) this.chain.deposit(account, amountWei);
    if (this.random.chance(0.02)) this.chain.giveBack(account, amountWei);
    if (this.random.chance(0.08)) this.chain.requestWithdrawal(account, amountWei);
    if (this.random.chance(0.05)) this.chain.cancelWithdrawal(account);
    this.landOperations(undone);
    for (const each of ACCOUNTS) if (this.random.chance(0.3)) this.chain.executeWithdrawal(each);
    if (this.random.chance(0.05)) this.useForeignNonce();
  }

  /** Now and then a second less than the life of a signature. */
  private secondsToNextBlock(): number {
    const last = this.random.chance(0.2) && this.signed.filter((operation) => this.chain.isValid(operation)).at(-1);
    const left = last ? last.validUntilSeconds - 1 - this.chain.head.timeSeconds : 0;
    if (left <= 0) return this.random.chance(0.02) ? 1_500 : this.random.int(1, 20);
    this.counts.late++;
    return left;
  }

  /** Like the EntryPoint, takes all precharges of a bundle first, so the wallet must cover them together. */
  private landOperations(undone: ReadonlySet<string>): void {
    const bundle: ModelOperation[] = [];
    for (const operation of this.signed) {
      const isLate = operation.validUntilSeconds - this.chain.head.timeSeconds <= 1;
      if (!this.chain.isValid(operation)) continue;
      if (bundle.some((other) => other.sender === operation.sender && other.nonce === operation.nonce)) continue;
      if (this.random.chance(undone.has(operation.userOpHash) || isLate ? 0.8 : 0.05)) bundle.push(operation);
    }
    if (this.options.losesReservations && this.random.chance(0.1)) bundle.push(this.lostOperation());
    for (const account of ACCOUNTS) {
      const ours = bundle.filter((operation) => accountKey(operation) === accountKey(account));
      const prechargeWei = ours.reduce((sum, operation) => sum + operation.prechargeWei, 0n);
      if (prechargeWei > this.chain.wallet(account).balanceWei) {
        // Only lost reservations may make a wallet unable to pay for other signatures.
        if (this.options.losesReservations) continue;
        throw new Error(`Signed operations need ${prechargeWei} wei of ${accountKey(account)}, which has less.`);
      }
      for (const operation of ours) this.land(operation);
    }
  }

  private land(operation: ModelOperation): void {
    if (!this.chain.isValid(operation)) return;
    const chargedWei = BigInt(this.random.int(0, Number(operation.prechargeWei)));
    this.chain.land(operation, { chargedWei, success: this.random.chance(0.9) });
    this.counts.landed++;
  }

  private lostOperation(): ModelOperation {
    return {
      ...{ ...this.random.pick(ACCOUNTS), entryPoint: ENTRY_POINT, sender: this.random.pick(SENDERS) },
      userOpHash: hex(32, this.random.int(1, 2 ** 31)),
      nonce: BigInt(this.random.int(0, 200)),
      prechargeWei: BigInt(this.random.int(1, 500)),
      validUntilSeconds: this.chain.head.timeSeconds,
    };
  }

  private useForeignNonce(): void {
    const nonce = { entryPoint: ENTRY_POINT, sender: this.random.pick(SENDERS), nonce: this.nextNonce() };
    if (!this.chain.isUsed(nonce)) this.chain.useNonce(nonce);
  }

  private async reserveBurst(): Promise<void> {
    const requests = Array.from({ length: this.random.int(0, 8) }, () => this.randomRequest());
    await Promise.all(requests.map((request) => this.reserve(request)));
  }

  private async reserve(request: ReserveRequest): Promise<void> {
    const userOpHash = hex(32, 2 ** 40 + this.random.int(1, 2 ** 31));
    try {
      await this.under.ledger.reserve(request);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.counts.refused++;
      return;
    }
    this.counts.granted++;
    this.signed.push({ ...request, userOpHash });
  }

  private randomRequest(): ReserveRequest {
    const account = this.random.pick(ACCOUNTS);
    const index = this.random.pick(PAYMASTERS);
    const sender = this.random.pick(SENDERS);
    const prechargeWei = BigInt(this.random.int(1, 2_000));
    return reserveRequest({
      ...account,
      ...{ sender, prechargeWei, paymasterId: paymasterId(index), nonce: this.nextNonce() },
      nowSeconds: this.chain.head.timeSeconds,
      validUntilSeconds: this.chain.head.timeSeconds + this.random.int(30, 600),
      claims: this.claims({ index, sender, prechargeWei }),
    });
  }

  private claims({ index, sender, prechargeWei }: { index: number; sender: Address; prechargeWei: bigint }) {
    const microUsdPerNative = BigInt(this.random.int(1, 5)) * 10n ** 18n;
    return [
      claim({ key: `${index}/wei`, amount: prechargeWei, limit: 40_000n }),
      claim({ key: `${index}/${sender}/count`, unit: 'count', amount: 1n, limit: 15n }),
      claim({
        ...{ key: `${index}/usd`, unit: 'microUsd', limit: 150_000n },
        ...{ amount: prechargeWei * (microUsdPerNative / 10n ** 18n), microUsdPerNative },
      }),
      claim({ key: `${index}/${sender}/live`, unit: 'count', live: true, amount: 1n, limit: 4n }),
    ];
  }

  /** Grows with the chain, so that nonces are asked for again and again while they can be used. */
  private nextNonce(): bigint {
    return (this.chain.head.number - GENESIS.number) / 10n + BigInt(this.random.int(0, 3));
  }
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof FundingWalletError ||
    error instanceof SponsorshipRefusedError ||
    // The chain moved on faster than settlement followed.
    (error instanceof DependencyUnavailableError && error.dependency === 'ledger')
  );
}
