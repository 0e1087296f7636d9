import type { BudgetClaim, ReserveRequest } from '../ledger';
import { toJson } from './to-json';

/** What `ledger.reserve(jsonb)` says of one request. Numbers are decimal text. */
export interface Decision {
  /** Null: refused. */
  readonly reservation_id: string | null;
  readonly refused_by: 'behind' | 'wallet' | 'claim' | null;
  /** Which claim of the request, from 0. */
  readonly refused_claim: number | null;
  /** What the budget has reserved and spent, or what the wallet has free for this request. */
  readonly used_amount: string | null;
  readonly limit_amount: string | null;
}

/**
 * A batch as `ledger.reserve(jsonb)` reads it (../schema/reserve.sql.ts). Wallets and budgets are there once and are
 * named by position, from 1; amounts are text, because JSON numbers lose digits on the way.
 */
export function batchMessage(requests: readonly ReserveRequest[], maxLagSeconds: number): string {
  const wallets = new Positions<object>();
  const budgets = new Positions<object>();
  const claims: object[] = [];
  const rows = requests.map((request, index) => {
    const { chainId: chain, contract, wallet, paymasterId: paymaster } = request;
    const first = claims.length + 1;
    for (const claim of request.claims) {
      const budget = { key: claim.key, paymaster, live: claim.live, ends: claim.endsAtSeconds };
      claims.push(claimRow(claim, { request: index + 1, budget: budgets.of(claim.key, budget) }));
    }
    return {
      wallet: wallets.of(`${chain}/${contract}/${wallet}`, { chain, contract, wallet }),
      entry: request.entryPoint,
      entry_version: request.entryPointVersion,
      paymaster,
      policy: request.policyVersion,
      mode: request.mode,
      sender: request.sender,
      nonce: String(request.nonce),
      amount: String(request.prechargeWei),
      until: request.validUntilSeconds,
      now: request.nowSeconds,
      first,
      last: claims.length,
    };
  });
  const events = requests.map(({ event }) => event);
  return toJson({ maxLagSeconds, wallets: wallets.all, budgets: budgets.all, requests: rows, claims, events });
}

function claimRow(claim: BudgetClaim, positions: { request: number; budget: number }): object {
  const { unit, amount, limit, microUsdPerNative } = claim;
  return {
    ...positions,
    unit,
    amount: String(amount),
    maximum: String(limit),
    price: microUsdPerNative === undefined ? undefined : String(microUsdPerNative),
  };
}

/** Different things in the order in which they were first seen. */
class Positions<T> {
  readonly all: T[] = [];
  private readonly byKey = new Map<string, number>();

  of(key: string, value: T): number {
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    this.all.push(value);
    this.byKey.set(key, this.all.length);
    return this.all.length;
  }
}
