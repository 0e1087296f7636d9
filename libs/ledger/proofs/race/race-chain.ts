import type { Address, Hex, UnpaidInTokens } from '@paymaster/domain';
import { accountKey, hex, ModelChain, type ModelOperation } from '../../src/settlement/testing/model-chain';
import type { Random } from '../../src/settlement/testing/random';
import type { RaceSignature } from './process-talk';
import { ACCOUNTS, ENTRY_POINT, EXACT, EXPOSURE_CAPS, GENESIS, REORG_WINDOW, SENDERS } from './race-world';

/** Counts of what happened on the chain, to check that the race has tested something. */
export interface RaceChainCounts {
  blocks: number;
  landed: number;
  late: number;
  reorgs: number;
  foreignNonces: number;
  withdrawals: number;
  /** Landed without paying in their token. */
  unpaid: number;
}

interface RaceOperation extends ModelOperation {
  /** The token in which it should pay, if it may fail to pay. */
  readonly token: Address | undefined;
}

/** An operation in one block, as settlement sees it. */
export const landingKey = ({ userOpHash, transactionHash }: { userOpHash: string; transactionHash: string }): string =>
  `${userOpHash} ${transactionHash}`;

/** Wallets are filled up to about this amount, which is mostly but not always enough for what is in flight. */
const FULL_WEI = 900_000n;
const ALL_ACCOUNTS = [...ACCOUNTS, EXACT.account];

/**
 * A chain on which operations with given signatures land: soon, in their last second, never, or twice after a reorg. It
 * does not know the ledger. It checks by itself that wallets can pay for every signature that is not used yet.
 */
export class RaceChain {
  readonly chain = new ModelChain(GENESIS);
  readonly counts: RaceChainCounts = {
    blocks: 0,
    landed: 0,
    late: 0,
    reorgs: 0,
    foreignNonces: 0,
    withdrawals: 0,
    unpaid: 0,
  };
  /** Moments at which a wallet could not have paid for all that it had signed. */
  readonly broken: string[] = [];
  /** Every payment that was missing in a block, by {@link landingKey}; also in blocks that were undone. */
  readonly unpaid = new Map<string, UnpaidInTokens>();
  private live: RaceOperation[] = [];
  /** What operations did not pay, in blocks that are not undone; by operation hash. */
  private readonly lost = new Map<Hex, RaceOperation>();
  private signatures = 0;

  constructor(private readonly random: Random) {
    this.chain.mine(1);
    this.chain.deposit(EXACT.account, 10n ** 9n);
    for (const account of ACCOUNTS) this.chain.deposit(account, FULL_WEI);
  }

  /** A signature that left can land from now on. */
  add({ wallet, contract, entryPoint, sender, nonce, prechargeWei, validUntilSeconds, token }: RaceSignature): void {
    this.live.push({
      ...({ wallet, contract, entryPoint, sender } as Pick<
        ModelOperation,
        'wallet' | 'contract' | 'entryPoint' | 'sender'
      >),
      ...{ nonce: BigInt(nonce), prechargeWei: BigInt(prechargeWei), validUntilSeconds, token },
      userOpHash: hex(32, 2n ** 64n + BigInt(this.signatures++)),
    });
  }

  /** Makes the next block; or, now and then, replaces the last blocks by others. */
  advance(): void {
    const undone = new Set<string>();
    if (this.random.chance(0.04) && this.chain.head.number > GENESIS.number + BigInt(REORG_WINDOW) + 1n) {
      const depth = this.random.int(1, REORG_WINDOW);
      for (const hash of this.chain.undo(depth)) {
        undone.add(hash);
        this.lost.delete(hash);
      }
      this.counts.reorgs++;
      for (let mined = 0; mined < depth; mined++) this.mineBlock(undone);
    }
    this.mineBlock(undone);
    this.forget();
  }

  /** Lets time pass until nothing can land any more and everything is final. */
  finish(): void {
    this.chain.mine(2 * 10_000_000);
    for (let mined = 0; mined <= REORG_WINDOW; mined++) this.chain.mine(12);
  }

  private mineBlock(undone: ReadonlySet<string>): void {
    this.counts.blocks++;
    this.chain.mine(this.secondsToNextBlock());
    this.landOperations(undone);
    this.moveMoney();
    if (this.random.chance(0.3)) this.useForeignNonce();
    this.requireCover();
  }

  /** Now and then up to the second before the next signature expires. */
  private secondsToNextBlock(): number {
    if (!this.random.chance(0.3)) return this.random.chance(0.005) ? 700 : this.random.int(1, 20);
    const now = this.chain.head.timeSeconds;
    const ends = this.live.filter((each) => this.chain.isValid(each)).map((each) => each.validUntilSeconds - 1);
    const next = Math.min(...ends.filter((end) => end > now));
    return next < now + 60 ? next - now : this.random.int(1, 20);
  }

  private moveMoney(): void {
    for (const account of ACCOUNTS) {
      const { balanceWei } = this.chain.wallet(account);
      if (balanceWei < FULL_WEI && this.random.chance(0.3)) {
        this.chain.deposit(account, BigInt(this.random.int(1, 150_000)));
      }
      if (this.random.chance(0.01)) this.chain.giveBack(account, BigInt(this.random.int(1, 5_000)));
      // Another request would start the delay anew.
      const isAsked = this.chain.wallet(account).requestedWei > 0n;
      if (this.random.chance(isAsked ? 0.001 : 0.02)) {
        this.chain.requestWithdrawal(account, (balanceWei * BigInt(this.random.int(1, 60))) / 100n);
      }
      if (this.random.chance(0.001)) this.chain.cancelWithdrawal(account);
      const { requestedWei } = this.chain.wallet(account);
      if (this.random.chance(0.5)) this.chain.executeWithdrawal(account);
      if (this.chain.wallet(account).requestedWei < requestedWei) this.counts.withdrawals++;
    }
  }

  /**
   * Like the EntryPoint, takes all precharges of a bundle first. Of several signatures of a nonce it uses a random one.
   */
  private landOperations(undone: ReadonlySet<string>): void {
    const bundle = new Map<string, RaceOperation>();
    for (const operation of this.live) {
      if (!this.chain.isValid(operation)) continue;
      const isLate = operation.validUntilSeconds - this.chain.head.timeSeconds <= 1;
      if (this.random.chance(undone.has(operation.userOpHash) || isLate ? 0.8 : 0.04)) {
        bundle.set(`${operation.sender} ${operation.nonce}`, operation);
        if (isLate) this.counts.late++;
      }
    }
    for (const operation of bundle.values()) {
      // The charge at the gas price of this block; at the highest price it is the whole precharge.
      const chargedWei = BigInt(this.random.int(0, Number(operation.prechargeWei)));
      const unpaid = this.chooseUnpaid(operation);
      this.chain.land(operation, { chargedWei, success: this.random.chance(0.9), unpaid });
      this.counts.landed++;
      if (!unpaid) continue;
      const { transactionHash } = this.chain.blockAt(this.chain.head.number)!.events.at(-1)!;
      this.unpaid.set(landingKey({ ...operation, transactionHash }), unpaid);
      if (!operation.token) continue;
      this.lost.set(operation.userOpHash, operation);
      this.counts.unpaid++;
    }
  }

  /** Decided anew in each block: an operation that paid in a block that was undone may not pay in the next one. */
  private chooseUnpaid({ token }: RaceOperation): UnpaidInTokens | undefined {
    if (!token) return this.random.chance(0.03) ? { isTaken: this.random.chance(0.5) } : undefined;
    if (!this.random.chance(0.2)) return undefined;
    const isTaken = this.random.chance(0.1);
    return this.random.chance(0.7) ? { isTaken, token } : { isTaken };
  }

  private useForeignNonce(): void {
    const recent = this.live.length > 0 && this.random.chance(0.7) ? this.random.pick(this.live) : undefined;
    if (recent && accountKey(recent) === accountKey(EXACT.account)) return;
    const { sender, nonce } = recent ?? { sender: this.random.pick(SENDERS), nonce: 0n };
    const used = { entryPoint: ENTRY_POINT, sender, nonce };
    if (this.chain.isUsed(used)) return;
    this.chain.useNonce(used);
    this.counts.foreignNonces++;
  }

  /** Assumes that every unused signature is used now, the dearest of each nonce. */
  private requireCover(): void {
    const valid = this.live.filter((operation) => this.chain.isValid(operation));
    const dearest = dearestOf(valid, (operation) => `${accountKey(operation)} ${operation.sender} ${operation.nonce}`);
    this.requireCaps(valid);
    for (const account of ALL_ACCOUNTS) {
      const prefix = `${accountKey(account)} `;
      const due = [...dearest].reduce((sum, [key, wei]) => (key.startsWith(prefix) ? sum + wei : sum), 0n);
      const { balanceWei } = this.chain.wallet(account);
      if (due <= balanceWei) continue;
      this.broken.push(`block ${this.chain.head.number}: ${prefix}signed ${due} wei and has ${balanceWei}`);
    }
  }

  /** The most that could be lost in all: what was lost, plus every unused signature, if it lands without paying. */
  private requireCaps(valid: readonly RaceOperation[]): void {
    const exposed = [...valid, ...this.lost.values()].filter(({ token }) => token !== undefined);
    const { tokenCapWei } = EXPOSURE_CAPS;
    const keyOf = ({ wallet, token, sender, nonce }: RaceOperation) => `${wallet} token ${token}/${sender} ${nonce}`;
    const sums = new Map<string, bigint>();
    for (const [key, wei] of dearestOf(exposed, keyOf)) {
      const [prefix] = key.split('/') as [string];
      sums.set(prefix, (sums.get(prefix) ?? 0n) + wei);
    }
    for (const [prefix, wei] of sums) {
      if (wei <= tokenCapWei) continue;
      this.broken.push(`block ${this.chain.head.number}: exposure ${prefix}, ${wei} of ${tokenCapWei}`);
    }
  }

  /** Forgets signatures that are used or expired in a final block. */
  private forget(): void {
    if (this.counts.blocks % 20 !== 0) return;
    const number = this.chain.head.number - BigInt(REORG_WINDOW);
    const final = this.chain.blockAt(number)?.block.timeSeconds ?? 0;
    const hashes = new Set<string>();
    for (let next = number + 1n; next <= this.chain.head.number; next++) {
      for (const event of this.chain.blockAt(next)?.events ?? []) {
        if (event.kind === 'operation' || event.kind === 'nonceUsed') hashes.add(`${event.sender} ${event.nonce}`);
      }
    }
    this.live = this.live.filter(
      (each) =>
        each.validUntilSeconds >= final && (!this.chain.isUsed(each) || hashes.has(`${each.sender} ${each.nonce}`)),
    );
  }
}

function dearestOf(
  operations: readonly RaceOperation[],
  keyOf: (operation: RaceOperation) => string,
): ReadonlyMap<string, bigint> {
  const dearest = new Map<string, bigint>();
  for (const operation of operations) {
    const key = keyOf(operation);
    const known = dearest.get(key) ?? 0n;
    dearest.set(key, operation.prechargeWei > known ? operation.prechargeWei : known);
  }
  return dearest;
}
