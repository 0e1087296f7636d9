import { DependencyUnavailableError, FundingWalletError, type Address } from '@paymaster/domain';

/** Kept this long past `validUntil`, so that a balance cached before the operation landed is not trusted alone. */
const GRACE_SECONDS = 30;
const DEFAULT_MAX_HOLDS = 500_000;

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
  private readonly expiries = new Map<number, Set<string>>();
  private sweptUntilSeconds = 0;

  constructor(private readonly maxHolds = DEFAULT_MAX_HOLDS) {}

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
   */
  reserve(request: { hold: SignatureHold; balanceWei: bigint; nowSeconds: number }): void {
    const { hold, balanceWei, nowSeconds } = request;
    this.dropExpired(nowSeconds);
    const account = accountKey(hold);
    const key = `${account}:${hold.entryPoint}:${hold.sender}:${hold.nonce}`;
    const earlier = this.holds.get(key);
    const wei = max(earlier?.wei ?? 0n, hold.prechargeWei);
    const othersWei = (this.totals.get(account) ?? 0n) - (earlier?.wei ?? 0n);
    if (othersWei + wei > balanceWei) throw balanceTooLow({ availableWei: balanceWei - othersWei, neededWei: wei });
    if (!earlier && this.holds.size >= this.maxHolds)
      throw new DependencyUnavailableError('gateway', 'too many signatures of this process are still valid');
    const validUntilSeconds = Math.max(earlier?.validUntilSeconds ?? 0, hold.validUntilSeconds);
    this.put(key, { account, wei, validUntilSeconds }, earlier);
  }

  private put(key: string, hold: Hold, earlier: Hold | undefined): void {
    if (earlier) this.expiries.get(earlier.validUntilSeconds)?.delete(key);
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

function accountKey({ paymaster, wallet }: WalletAccount): string {
  return `${paymaster}:${wallet}`;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
