import { WALLET, type BudgetClaim, type ReserveRequest } from '../gateway/ledger';

/** The limit that is stored for a share. */
const NO_LIMIT = 2n ** 256n - 1n;

interface ModelBudget {
  limit: bigint;
  version: number;
  holds: Map<string, bigint>;
}

interface ModelReservation {
  readonly holdWei: bigint;
  readonly validUntilSeconds: number;
  readonly wallet: string;
  readonly paymasterId: string;
}

/**
 * A simple model of the ledger's decisions, in memory and one request after the other: the reference for property
 * tests.
 */
export class ModelLedger {
  readonly reservations = new Map<string, ModelReservation>();
  readonly budgets = new Map<string, ModelBudget>();
  /** Operations that have an event. */
  readonly told: string[] = [];

  constructor(private readonly spendableWei: ReadonlyMap<string, bigint>) {}

  /** @returns `granted`, or the reason why not */
  reserve(request: ReserveRequest): string {
    const { wallet, paymasterId, sender, nonce, prechargeWei, policyVersion } = request;
    const key = [wallet, paymasterId, sender, nonce].join('/');
    const known = this.reservations.get(key);
    const holdWei = max(prechargeWei, known?.holdWei ?? 0n);
    if (this.heldWei(wallet) - (known?.holdWei ?? 0n) + holdWei > (this.spendableWei.get(wallet) ?? -1n))
      return 'FUNDING_WALLET_BALANCE_TOO_LOW';

    const roomWei = this.roomWei(request);
    if (holdWei - (known?.holdWei ?? 0n) > roomWei) return 'SPENDING_BRAKE';

    const left = new Map([[WALLET as string, max(roomWei, 0n)]]);
    for (const claim of request.claims) {
      const budget = this.budgets.get(claim.key);
      const held = budget?.holds.get(key) ?? 0n;
      const limit = claim.share
        ? shareOf(max(left.get(claim.share.of)!, 0n), { budget, held, percent: claim.share.percent })
        : this.limitOf(claim, policyVersion);
      if (total(budget) - held + max(claim.amount, held) > limit) return claim.refusal.reason;
      left.set(claim.key, limit - total(budget));
    }

    if (!known || !request.isQuiet) this.told.push(key);
    const validUntilSeconds = Math.max(request.validUntilSeconds, known?.validUntilSeconds ?? 0);
    this.reservations.set(key, { holdWei, validUntilSeconds, wallet, paymasterId });
    for (const claim of request.claims) {
      const budget = this.budgets.get(claim.key) ?? { limit: 0n, version: 0, holds: new Map<string, bigint>() };
      this.budgets.set(claim.key, budget);
      budget.holds.set(key, max(claim.amount, budget.holds.get(key) ?? 0n));
      if (policyVersion < budget.version && !isOfRequest(claim)) continue;
      budget.limit = claim.share ? NO_LIMIT : claim.limit;
      budget.version = Math.max(policyVersion, budget.version);
    }
    return 'granted';
  }

  /** A request of an older policy meets the newer limit. */
  private limitOf(claim: BudgetClaim, policyVersion: number): bigint {
    const budget = this.budgets.get(claim.key);
    return budget && policyVersion < budget.version && !isOfRequest(claim) ? budget.limit : claim.limit;
  }

  /** The model has no losses: what a paymaster holds must not be more than what stays free. Negative: it already is. */
  private roomWei({ wallet, paymasterId, sender, nonce, brakeReleasedAtMs }: ReserveRequest): bigint {
    const freeWei = (this.spendableWei.get(wallet) ?? -1n) - this.heldWei(wallet);
    const heldWei = this.heldWei(wallet, paymasterId);
    const ownWei = this.reservations.get([wallet, paymasterId, sender, nonce].join('/'))?.holdWei ?? 0n;
    if (brakeReleasedAtMs === undefined || heldWei === ownWei) return freeWei;
    return freeWei < heldWei ? -1n : (freeWei - heldWei) / 2n;
  }

  heldWei(wallet: string, paymasterId?: string): bigint {
    const held = [...this.reservations.values()].filter((each) => each.wallet === wallet);
    return sum(
      held.filter((each) => [each.paymasterId, undefined].includes(paymasterId)).map(({ holdWei }) => holdWei),
    );
  }

  reserved(key: string): bigint {
    return total(this.budgets.get(key));
  }
}

/** Each request brings its exposure caps. */
const isOfRequest = ({ unit }: BudgetClaim): boolean => unit === 'exposureWei';

/** A client that holds nothing else may take all that is left. */
function shareOf(
  left: bigint,
  { budget, held, percent }: { budget: ModelBudget | undefined; held: bigint; percent: number },
): bigint {
  const isAlone = total(budget) === held;
  return max(partOf(left + total(budget), isAlone ? 100 : percent), total(budget));
}

const partOf = (amount: bigint, percent: number): bigint => (amount * BigInt(percent) + 99n) / 100n;
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const sum = (values: Iterable<bigint>): bigint => [...values].reduce((a, b) => a + b, 0n);
const total = (budget: ModelBudget | undefined): bigint => sum(budget?.holds.values() ?? []);
