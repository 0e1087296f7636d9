import { WALLET, type BudgetClaim, type ReserveRequest } from '../ledger';
import { toJson } from './to-json';

/** Stored for a share, whose limit depends on what others hold. */
const NO_LIMIT = 2n ** 256n - 1n;

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

/** What one budget is asked for by a whole batch. */
interface BudgetRow {
  readonly key: string;
  readonly paymaster: string;
  readonly live: boolean;
  readonly ends: number | undefined;
  total: bigint;
  maximum: bigint;
  policy: number;
}

/**
 * A batch as `ledger.reserve(jsonb, text[])` reads it (../schema/reserve.sql.ts). Wallets and budgets are there once and
 * are named by position, from 1; amounts are text, because JSON numbers lose digits on the way.
 */
export function batchMessage(
  requests: readonly ReserveRequest[],
  maxLagSeconds: number,
): readonly [batch: string, events: readonly string[]] {
  const wallets = new Positions<object>();
  const budgets = new Positions<BudgetRow>();
  const claims: object[] = [];
  const rows = requests.map((request, index) => {
    const { chainId: chain, contract, wallet } = request;
    const first = claims.length + 1;
    const positions = new Map<string, number>([[WALLET, 0]]);
    for (const claim of request.claims) {
      const budget = budgets.of(claim.key, () => budgetRow(claim, request.paymasterId));
      addTo(budgets.all[budget - 1]!, claim, request.policyVersion);
      const of = claim.share && positions.get(claim.share.of);
      claims.push(claimRow(claim, { request: index + 1, budget, of }));
      positions.set(claim.key, claims.length);
    }
    return {
      wallet: wallets.of(`${chain}/${contract}/${wallet}`, () => ({ chain, contract, wallet })),
      entry: request.entryPoint,
      entry_version: request.entryPointVersion,
      paymaster: request.paymasterId,
      policy: request.policyVersion,
      mode: request.mode,
      sender: request.sender,
      nonce: String(request.nonce),
      amount: String(request.prechargeWei),
      until: request.validUntilSeconds,
      now: request.nowSeconds,
      head: request.headTimeSeconds,
      first,
      last: claims.length,
      quiet: request.isQuiet,
    };
  });
  const budgetRows = budgets.all.map((row) => ({ ...row, total: String(row.total), maximum: String(row.maximum) }));
  return [
    JSON.stringify({ maxLagSeconds, wallets: wallets.all, budgets: budgetRows, requests: rows, claims }),
    requests.map(({ event }) => toJson(event)),
  ];
}

function budgetRow(claim: BudgetClaim, paymaster: string): BudgetRow {
  return {
    key: claim.key,
    paymaster,
    live: claim.live,
    ends: claim.endsAtSeconds,
    total: 0n,
    maximum: limitOf(claim),
    policy: 0,
  };
}

/** The limit is that of the newest policy, as where a budget has its row already. */
function addTo(row: BudgetRow, claim: BudgetClaim, policyVersion: number): void {
  row.total += claim.amount;
  if (policyVersion < row.policy) return;
  row.policy = policyVersion;
  row.maximum = limitOf(claim);
}

function limitOf({ limit, share }: BudgetClaim): bigint {
  return share ? NO_LIMIT : limit;
}

/** `of`: the claim that it is a share of, or 0 for the wallet. */
function claimRow(claim: BudgetClaim, positions: { request: number; budget: number; of: number | undefined }): object {
  const { unit, amount, share, microUsdPerNative } = claim;
  return {
    ...positions,
    unit,
    amount: String(amount),
    maximum: String(limitOf(claim)),
    share: share?.percent,
    price: microUsdPerNative === undefined ? undefined : String(microUsdPerNative),
  };
}

/** Different things in the order in which they were first seen. */
class Positions<T> {
  readonly all: T[] = [];
  private readonly byKey = new Map<string, number>();

  of(key: string, make: () => T): number {
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    this.all.push(make());
    this.byKey.set(key, this.all.length);
    return this.all.length;
  }
}
