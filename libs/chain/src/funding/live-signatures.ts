import {
  DependencyUnavailableError,
  FundingWalletError,
  SponsorshipRefusedError,
  type Address,
} from '@paymaster/domain';

/** Kept this long past `validUntil`, so that a balance cached before the operation landed is not trusted alone. */
const GRACE_SECONDS = 30;

/** How many signatures one process remembers; the two narrower bounds keep one caller from taking all of them. */
export interface LiveSignatureBounds {
  /** Of all wallets: bounds memory. */
  readonly maxHolds: number;
  /** Of one funding wallet: a tenth of all, or 150 signatures a second of 5 minutes each. */
  readonly maxHoldsPerWallet: number;
  /**
   * Of one sender with one wallet, that is: nonces of one account at a time. ERC-7562 (UREP-010) lets a bundler keep
   * four operations of an unstaked sender; this leaves room for parallel nonces that never land.
   */
  readonly maxHoldsPerSender: number;
}

export const DEFAULT_LIVE_SIGNATURE_BOUNDS: LiveSignatureBounds = {
  maxHolds: 500_000,
  maxHoldsPerWallet: 50_000,
  maxHoldsPerSender: 32,
};

/** The funding wallet's account in one paymaster contract: the row all money refers to. */
export interface WalletAccount {
  readonly paymaster: Address;
  readonly wallet: Address;
}

/** One signature about to be given. */
export interface SignatureHold extends WalletAccount {
  readonly entryPoint: Address;
  readonly sender: Address;
  readonly nonce: bigint;
  readonly prechargeWei: bigint;
  readonly validUntilSeconds: number;
}

interface Hold {
  readonly account: string;
  /** The sender within the account: two wallets never share a bound, so nobody can use up another's. */
  readonly sender: string;
  readonly wei: bigint;
  readonly validUntilSeconds: number;
}

/**
 * What this process has signed away and the chain may still take, by funding wallet. One per chain.
 *
 * Only one operation of an (EntryPoint, sender, nonce) can land, so asking again holds the maximum, not the sum.
 * A hold ends when the chain's time has passed `validUntil`; nothing here watches operations land, so between
 * landing and expiry an operation counts twice (in the balance and here): too careful, never too generous. It is
 * one process's memory: with N pods a wallet can be promised up to N times its balance until the ledger exists.
 */
export class LiveSignatures {
  private readonly holds = new Map<string, Hold>();
  private readonly totals = new Map<string, bigint>();
  /** Live signatures by account, and by account and sender. */
  private readonly counts = new Map<string, number>();
  private readonly expiries = new Map<number, Set<string>>();
  private readonly bounds: LiveSignatureBounds;
  private sweptUntilSeconds = 0;

  constructor(bounds: Partial<LiveSignatureBounds> = {}) {
    this.bounds = { ...DEFAULT_LIVE_SIGNATURE_BOUNDS, ...bounds };
  }

  /** Sum of the live precharges of a wallet; wei. */
  liveWei(account: WalletAccount, nowSeconds: number): bigint {
    this.dropExpired(nowSeconds);
    return this.totals.get(accountKey(account)) ?? 0n;
  }

  /**
   * Holds a precharge, or refuses. Check and hold happen in one synchronous step: no other request comes between.
   *
   * @param balanceWei what the wallet can spend, from the chain
   * @throws {FundingWalletError} when the balance less everything live does not cover it
   * @throws {SponsorshipRefusedError} TOO_MANY_LIVE_SIGNATURES of this wallet or sender
   * @throws {DependencyUnavailableError} `gateway`, when this process can remember no more
   */
  reserve(request: { hold: SignatureHold; balanceWei: bigint; nowSeconds: number }): void {
    const { hold, balanceWei, nowSeconds } = request;
    this.dropExpired(nowSeconds);
    const account = accountKey(hold);
    const sender = `${account}:${hold.entryPoint}:${hold.sender}`;
    const key = `${sender}:${hold.nonce}`;
    const earlier = this.holds.get(key);
    const wei = max(earlier?.wei ?? 0n, hold.prechargeWei);
    const othersWei = (this.totals.get(account) ?? 0n) - (earlier?.wei ?? 0n);
    if (othersWei + wei > balanceWei) throw balanceTooLow({ availableWei: balanceWei - othersWei, neededWei: wei });
    if (!earlier) this.assertRoom({ account, sender });
    const validUntilSeconds = Math.max(earlier?.validUntilSeconds ?? 0, hold.validUntilSeconds);
    this.put(key, { account, sender, wei, validUntilSeconds }, earlier);
  }

  /** Nothing live is ever forgotten to make room: it could still land. */
  private assertRoom({ account, sender }: Pick<Hold, 'account' | 'sender'>): void {
    const { maxHolds, maxHoldsPerWallet, maxHoldsPerSender } = this.bounds;
    if (this.countOf(sender) >= maxHoldsPerSender) throw tooManyLive('sender', maxHoldsPerSender);
    if (this.countOf(account) >= maxHoldsPerWallet) throw tooManyLive('funding wallet', maxHoldsPerWallet);
    if (this.holds.size >= maxHolds)
      throw new DependencyUnavailableError('gateway', 'too many signatures of this process are still valid');
  }

  private countOf(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  private count({ account, sender }: Hold, change: 1 | -1): void {
    for (const key of [account, sender]) {
      const count = this.countOf(key) + change;
      if (count > 0) this.counts.set(key, count);
      else this.counts.delete(key);
    }
  }

  private put(key: string, hold: Hold, earlier: Hold | undefined): void {
    if (earlier) this.expiries.get(earlier.validUntilSeconds)?.delete(key);
    else this.count(hold, 1);
    this.holds.set(key, hold);
    this.totals.set(hold.account, (this.totals.get(hold.account) ?? 0n) - (earlier?.wei ?? 0n) + hold.wei);
    const sameSecond = this.expiries.get(hold.validUntilSeconds) ?? new Set<string>();
    this.expiries.set(hold.validUntilSeconds, sameSecond.add(key));
  }

  private dropExpired(nowSeconds: number): void {
    if (nowSeconds <= this.sweptUntilSeconds) return;
    this.sweptUntilSeconds = nowSeconds;
    for (const [validUntilSeconds, keys] of this.expiries) {
      if (validUntilSeconds + GRACE_SECONDS >= nowSeconds) continue;
      for (const key of keys) this.drop(key);
      this.expiries.delete(validUntilSeconds);
    }
  }

  private drop(key: string): void {
    const hold = this.holds.get(key);
    if (!hold) return;
    this.holds.delete(key);
    this.count(hold, -1);
    const left = (this.totals.get(hold.account) ?? 0n) - hold.wei;
    if (left > 0n) this.totals.set(hold.account, left);
    else this.totals.delete(hold.account);
  }
}

/** Amounts travel in `details` as decimal strings; the gateway shows them only where the paymaster allows it. */
export function balanceTooLow(amounts: { availableWei: bigint; neededWei: bigint }): FundingWalletError {
  const availableWei = max(0n, amounts.availableWei);
  return new FundingWalletError(
    'FUNDING_WALLET_BALANCE_TOO_LOW',
    'the funding wallet of this paymaster does not hold enough gas deposit for this operation',
    { availableWei: availableWei.toString(), neededWei: amounts.neededWei.toString() },
  );
}

function tooManyLive(whose: 'sender' | 'funding wallet', limit: number): SponsorshipRefusedError {
  return new SponsorshipRefusedError(
    'TOO_MANY_LIVE_SIGNATURES',
    `too many sponsored operations of this ${whose} are still valid; the oldest expire within minutes`,
    [],
    { limit: limit.toString() },
  );
}

function accountKey({ paymaster, wallet }: WalletAccount): string {
  return `${paymaster}:${wallet}`;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
