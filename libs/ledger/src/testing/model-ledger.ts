import type { ReserveRequest } from '../ledger';

interface ModelBudget {
  limit: bigint;
  version: number;
  holds: Map<string, bigint>;
}

/** What the ledger decides, in plain words and memory, one request after the other: the reference for property tests. */
export class ModelLedger {
  readonly reservations = new Map<string, { holdWei: bigint; validUntilSeconds: number; wallet: string }>();
  readonly budgets = new Map<string, ModelBudget>();

  constructor(private readonly spendableWei: ReadonlyMap<string, bigint>) {}

  /** @returns `granted`, or the reason why not */
  reserve(request: ReserveRequest): string {
    const { wallet, paymasterId, sender, nonce, prechargeWei, policyVersion } = request;
    const key = [wallet, paymasterId, sender, nonce].join('/');
    const known = this.reservations.get(key);
    const holdWei = max(prechargeWei, known?.holdWei ?? 0n);
    if (this.heldWei(wallet) - (known?.holdWei ?? 0n) + holdWei > (this.spendableWei.get(wallet) ?? -1n))
      return 'FUNDING_WALLET_BALANCE_TOO_LOW';

    for (const claim of request.claims) {
      const budget = this.budgets.get(claim.key);
      const limit = budget && policyVersion < budget.version ? budget.limit : claim.limit;
      const held = budget?.holds.get(key) ?? 0n;
      if (total(budget) - held + max(claim.amount, held) > limit) return claim.refusal.reason;
    }

    const validUntilSeconds = Math.max(request.validUntilSeconds, known?.validUntilSeconds ?? 0);
    this.reservations.set(key, { holdWei, validUntilSeconds, wallet });
    for (const claim of request.claims) {
      const budget = this.budgets.get(claim.key) ?? { limit: 0n, version: 0, holds: new Map<string, bigint>() };
      this.budgets.set(claim.key, budget);
      budget.holds.set(key, max(claim.amount, budget.holds.get(key) ?? 0n));
      if (policyVersion < budget.version) continue;
      budget.limit = claim.limit;
      budget.version = policyVersion;
    }
    return 'granted';
  }

  heldWei(wallet: string): bigint {
    return sum([...this.reservations.values()].filter((each) => each.wallet === wallet).map(({ holdWei }) => holdWei));
  }

  reserved(key: string): bigint {
    return total(this.budgets.get(key));
  }
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const sum = (values: Iterable<bigint>): bigint => [...values].reduce((a, b) => a + b, 0n);
const total = (budget: ModelBudget | undefined): bigint => sum(budget?.holds.values() ?? []);
