import { DependencyUnavailableError, SponsorshipRefusedError, type Address } from '@paymaster/domain';
import { LRUCache } from 'lru-cache';
import { ExpiringTable } from './expiring-table';
import { ExposureTotals, type Exposure } from './exposure-totals';

/** Kept this long past `validUntil`: a reorganised chain may be a few seconds behind the one that was read. */
const GRACE_SECONDS = 30;

/** How much one process remembers; the narrower bounds keep one caller from taking all of it. */
export interface ExposureBounds {
  /** Operations with a live signature, of all wallets: about 50 MB. */
  readonly maxOperations: number;
  /** Operations with a live signature of one wallet, whatever they are worth: a tenth of all. */
  readonly maxOperationsPerWallet: number;
  /** Live signatures in one token of one wallet: half of the wallet's. */
  readonly maxHoldsPerToken: number;
  /** Live signatures of one sender with one wallet: room for parallel nonces, as of sponsored operations. */
  readonly maxHoldsPerSender: number;
  /** Tokens that one operation may be signed for while an earlier signature of it is live. */
  readonly maxTokensPerOperation: number;
  /** Wallets' tokens that stand at something: dues are never forgotten, so they have a bound too. */
  readonly maxTokens: number;
  /** Senders with dues or a block; beyond, the one not heard of for longest is forgotten. Its token's sum is not. */
  readonly maxSenders: number;
}

export const DEFAULT_EXPOSURE_BOUNDS: ExposureBounds = {
  maxOperations: 50_000,
  maxOperationsPerWallet: 5_000,
  maxHoldsPerToken: 2_500,
  maxHoldsPerSender: 32,
  maxTokensPerOperation: 8,
  maxTokens: 100_000,
  maxSenders: 100_000,
};

/** An operation and the wallet that is out of pocket if it is not paid for. Of a nonce, one operation can land. */
export interface ExposedOperation {
  readonly fundingWallet: Address;
  readonly entryPoint: Address;
  readonly sender: Address;
  readonly nonce: bigint;
}

/** A `batchApproval` signature about to be given. */
export interface ExposureHold extends ExposedOperation {
  readonly token: Address;
  /** The most the funding wallet can be charged for it; wei. */
  readonly prechargeWei: bigint;
  /** Unix seconds on chain. */
  readonly validUntilSeconds: number;
  /** The token's own cap, else the chain's; wei. */
  readonly capWei: bigint;
  /** The chain's cap of one sender over all tokens; wei. */
  readonly senderCapWei: bigint;
}

/** How an operation came to be unpaid. */
export interface UnpaidOperation extends ExposedOperation {
  /** Undefined where the chain does not say; then every token signed for this nonce counts. */
  readonly token: Address | undefined;
  /** Its calls had succeeded and the token was gone all the same: the sender gets no such signature again. */
  readonly tokenTaken: boolean;
}

/** What is live of one operation; several tokens when it was signed for several. */
interface LiveOperation {
  readonly fundingWallet: Address;
  readonly senderAccount: string;
  /** Wei by the wallet's account of the token. */
  readonly tokens: ReadonlyMap<string, bigint>;
  /** The highest of them: only one can land. */
  readonly wei: bigint;
  readonly validUntilSeconds: number;
}

interface Debtor {
  readonly dueWei: bigint;
  readonly blocked: boolean;
}

/**
 * What funding wallets stand to lose by `batchApproval`, the way of charging where an operation can spend their ether
 * and not pay (docs/architecture/token-mode.md, "Exposure of `batchApproval`"). One per chain, pure memory.
 *
 * Everything counts per funding wallet, because the wallet bears it: within a wallet per token, and per sender over
 * all tokens. So no customer of one paymaster, and no token that one paymaster made up, uses up another's cap or gets
 * a sender blocked elsewhere.
 *
 * A signature counts with its precharge until it is seen paid ({@link paid}), seen unpaid ({@link due}: counts for
 * good), or expired. It expires only by what {@link TokenPaymentWatcher} has read ({@link expire}): as long as the
 * chain's logs cannot be read, nothing is released, and the caps refuse. Asking again for the same nonce holds the
 * maximum per token, never the sum.
 *
 * So at any time, and over any attack, live + due of a token is at most its cap, and so is what is lost. It is one
 * process's memory: see docs/adr/0009.
 */
export class TokenExposure {
  private readonly operations = new ExpiringTable<LiveOperation>();
  private readonly tokens = new ExposureTotals();
  private readonly senders = new ExposureTotals();
  private readonly wallets = new ExposureTotals();
  private readonly debtors: LRUCache<string, Debtor>;
  private readonly bounds: ExposureBounds;

  constructor(bounds: Partial<ExposureBounds> = {}) {
    this.bounds = { ...DEFAULT_EXPOSURE_BOUNDS, ...bounds };
    // By size: a number of entries has its room made at the start.
    this.debtors = new LRUCache({ maxSize: this.bounds.maxSenders, sizeCalculation: () => 1 });
  }

  /** Operations that may still land unpaid; while there are any, the chain has to be watched. */
  get liveOperations(): number {
    return this.operations.size;
  }

  /** Where a wallet stands in a token. */
  of({ fundingWallet, token }: { fundingWallet: Address; token: Address }): Exposure {
    return this.tokens.of(account(fundingWallet, token));
  }

  /**
   * The check of {@link reserve} without the hold: ask it before anything else is reserved for the operation, so that
   * a refusal leaves nothing behind.
   *
   * @throws what {@link reserve} throws
   */
  assertRoom(hold: ExposureHold): void {
    this.plan(hold);
  }

  /**
   * Holds the precharge until the operation is paid or expired, or refuses. Call it right before signing. Check and
   * hold are one synchronous step.
   *
   * @throws {SponsorshipRefusedError} SENDER_BLOCKED_IN_TOKEN_MODE; TOKEN_EXPOSURE_CAP_REACHED, of the token, sender or
   *   wallet
   * @throws {DependencyUnavailableError} `gateway`, when this process can remember no more
   */
  reserve(hold: ExposureHold): void {
    const { key, earlier, after } = this.plan(hold);
    if (earlier) this.release(earlier);
    this.operations.set(key, after);
    for (const [token, liveWei] of after.tokens) this.tokens.add(token, { liveWei, holds: 1 });
    this.senders.add(after.senderAccount, { liveWei: after.wei, holds: 1 });
    this.wallets.add(after.fundingWallet, { liveWei: after.wei, holds: 1 });
  }

  /** The operation landed and paid. Nothing of its nonce can land again. */
  paid(operation: ExposedOperation): void {
    const live = this.operations.delete(operationKey(operation));
    if (live) this.release(live);
  }

  /**
   * The operation landed and did not pay: what was held for it counts for good. What this process holds nothing for
   * (another process signed it, or it was counted already) changes nothing.
   *
   * @returns what is now due, or undefined when nothing was held
   */
  due(operation: UnpaidOperation): { dueWei: bigint } | undefined {
    const live = this.operations.delete(operationKey(operation));
    if (!live) return undefined;
    this.release(live);
    const { fundingWallet, token } = operation;
    const tokenAccount = token && account(fundingWallet, token);
    const dueWei = tokenAccount ? (live.tokens.get(tokenAccount) ?? 0n) : live.wei;
    if (tokenAccount) this.tokens.add(tokenAccount, { dueWei });
    else for (const [each, wei] of live.tokens) this.tokens.add(each, { dueWei: wei });
    const debtor = this.debtors.get(live.senderAccount);
    this.debtors.set(live.senderAccount, {
      dueWei: (debtor?.dueWei ?? 0n) + dueWei,
      blocked: debtor?.blocked === true || operation.tokenTaken,
    });
    return { dueWei };
  }

  /**
   * Ends what can no longer land.
   *
   * @param readUntilSeconds the time of a block up to which every payment on chain has been told here
   */
  expire(readUntilSeconds: number): void {
    for (const live of this.operations.takeEndedBefore(readUntilSeconds - GRACE_SECONDS)) this.release(live);
  }

  private plan(hold: ExposureHold): { key: string; earlier: LiveOperation | undefined; after: LiveOperation } {
    const senderAccount = account(hold.fundingWallet, hold.sender);
    const tokenAccount = account(hold.fundingWallet, hold.token);
    const debtor = this.debtors.get(senderAccount);
    if (debtor?.blocked) throw senderBlocked();

    const key = operationKey(hold);
    const earlier = this.operations.get(key);
    const earlierTokenWei = earlier?.tokens.get(tokenAccount);
    const tokenWei = max(earlierTokenWei ?? 0n, hold.prechargeWei);
    const wei = max(earlier?.wei ?? 0n, tokenWei);
    const token = this.tokens.of(tokenAccount);
    const sender = this.senders.of(senderAccount);
    assertBelow('token', hold.capWei, token.liveWei + token.dueWei - (earlierTokenWei ?? 0n) + tokenWei);
    const senderWei = sender.liveWei - (earlier?.wei ?? 0n) + wei + (debtor?.dueWei ?? 0n);
    assertBelow('account', hold.senderCapWei, senderWei);

    if (earlierTokenWei === undefined) {
      const wallet = this.wallets.of(hold.fundingWallet);
      this.assertHoldsLeft({ token, sender, wallet, earlier });
    }
    const after: LiveOperation = {
      fundingWallet: hold.fundingWallet,
      senderAccount,
      tokens: new Map(earlier?.tokens).set(tokenAccount, tokenWei),
      wei,
      validUntilSeconds: Math.max(earlier?.validUntilSeconds ?? 0, hold.validUntilSeconds),
    };
    return { key, earlier, after };
  }

  /** Nothing live is ever forgotten to make room: it could still land. */
  private assertHoldsLeft(of: {
    token: Exposure;
    sender: Exposure;
    wallet: Exposure;
    earlier: LiveOperation | undefined;
  }): void {
    const { bounds } = this;
    const { token, sender, wallet, earlier } = of;
    if (token.holds >= bounds.maxHoldsPerToken) throw tooManyLive('token', bounds.maxHoldsPerToken);
    if (earlier ? earlier.tokens.size >= bounds.maxTokensPerOperation : sender.holds >= bounds.maxHoldsPerSender)
      throw tooManyLive('account', earlier ? bounds.maxTokensPerOperation : bounds.maxHoldsPerSender);
    if (!earlier && wallet.holds >= bounds.maxOperationsPerWallet)
      throw tooManyLive('wallet', bounds.maxOperationsPerWallet);
    const isNewToken = token.holds === 0 && token.dueWei === 0n;
    if (
      (!earlier && this.operations.size >= bounds.maxOperations) ||
      (isNewToken && this.tokens.size >= bounds.maxTokens)
    )
      throw new DependencyUnavailableError('gateway', 'too many operations to be paid in tokens are still unpaid');
  }

  private release(live: LiveOperation): void {
    for (const [token, wei] of live.tokens) this.tokens.add(token, { liveWei: -wei, holds: -1 });
    this.senders.add(live.senderAccount, { liveWei: -live.wei, holds: -1 });
    this.wallets.add(live.fundingWallet, { liveWei: -live.wei, holds: -1 });
  }
}

/** What has a cap or a bound, in the words of a refusal. */
const CAPPED = { token: 'in this token', account: 'of this account', wallet: 'of this funding wallet' } as const;
type Capped = keyof typeof CAPPED;

function assertBelow(whose: Capped, capWei: bigint, wei: bigint): void {
  if (wei <= capWei) return;
  throw capReached(whose, { capWei: capWei.toString() });
}

function tooManyLive(whose: Capped, limit: number): SponsorshipRefusedError {
  return capReached(whose, { limit: limit.toString() });
}

function capReached(whose: Capped, details: Record<string, unknown>): SponsorshipRefusedError {
  return new SponsorshipRefusedError(
    'TOKEN_EXPOSURE_CAP_REACHED',
    `too many operations ${CAPPED[whose]} that pay with an approval in their own batch are still unpaid; pay from an allowance given before`,
    [],
    details,
  );
}

function senderBlocked(): SponsorshipRefusedError {
  return new SponsorshipRefusedError(
    'SENDER_BLOCKED_IN_TOKEN_MODE',
    'this account took its tokens away after an operation had been simulated well; pay from an allowance given before',
  );
}

/** A funding wallet's account of a token or of a sender. */
function account(fundingWallet: Address, of: Address): string {
  return `${fundingWallet}:${of}`;
}

function operationKey({ fundingWallet, entryPoint, sender, nonce }: ExposedOperation): string {
  return `${fundingWallet}:${entryPoint}:${sender}:${nonce}`;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
