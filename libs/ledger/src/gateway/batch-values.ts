import { WALLET, type BudgetClaim, type ReserveRequest } from '../ledger';
import { toJson } from './to-json';

/** Stored for a share, whose limit depends on what others hold. */
const NO_LIMIT = 2n ** 256n - 1n;

/** What `ledger.reserve` says of one request. Numbers are decimal text. */
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

type Value = string | number | bigint | boolean | undefined;
type Row<Columns extends readonly string[]> = Readonly<Record<Columns[number], Value>>;

const WALLETS = ['w_chain', 'w_contract', 'w_wallet'] as const;
const BUDGETS = ['b_key', 'n_paymaster', 'n_live', 'n_ends_at', 'n_total', 'n_limit', 'n_version'] as const;
const REQUESTS = [
  ...(['r_wallet', 'r_entry_point', 'r_entry_point_version', 'r_paymaster', 'r_version', 'r_mode'] as const),
  ...(['r_sender', 'r_nonce', 'r_amount', 'r_valid_until', 'r_now', 'r_head', 'r_first', 'r_last', 'r_quiet'] as const),
] as const;
const CLAIMS = ['c_request', 'c_budget', 'c_unit', 'c_amount', 'c_limit', 'c_price', 'c_share', 'c_of'] as const;

/** Parameters of `ledger.reserve`, in the order of {@link batchValues}. */
export const BATCH_PARAMETERS = ['max_lag', ...WALLETS, ...BUDGETS, ...REQUESTS, ...CLAIMS, 'events'] as const;

/** What one budget is asked for by a whole batch. */
type BudgetRow = Record<(typeof BUDGETS)[number], Value> & { n_total: bigint; n_version: number };

/**
 * A batch as `ledger.reserve` reads it (../schema/reserve.sql.ts): by columns, each an array as Postgres writes them.
 * Wallets and budgets are there once and are named by position, from 1.
 */
export function batchValues(requests: readonly ReserveRequest[], maxLagSeconds: number): readonly string[] {
  const wallets = new Positions<Row<typeof WALLETS>>();
  const budgets = new Positions<BudgetRow>();
  const claims: Array<Row<typeof CLAIMS>> = [];
  const rows = requests.map((request, index) => {
    const { chainId, contract, wallet } = request;
    const first = claims.length + 1;
    const positions = new Map<string, number>([[WALLET, 0]]);
    for (const claim of request.claims) {
      const budget = budgets.of(claim.key, () => budgetRow(claim, request.paymasterId));
      addTo(budgets.all[budget - 1]!, claim, request.policyVersion);
      const of = claim.share && positions.get(claim.share.of);
      claims.push(claimRow(claim, { request: index + 1, budget, of }));
      positions.set(claim.key, claims.length);
    }
    const account = { w_chain: chainId, w_contract: contract, w_wallet: wallet };
    const position = wallets.of(`${chainId}/${contract}/${wallet}`, () => account);
    return requestRow(request, { wallet: position, first, last: claims.length });
  });
  return [
    String(maxLagSeconds),
    ...columns(WALLETS, wallets.all),
    ...columns(BUDGETS, budgets.all),
    ...columns(REQUESTS, rows),
    ...columns(CLAIMS, claims),
    // JSON has no line breaks of its own.
    requests.map(({ event }) => toJson(event)).join('\n'),
  ];
}

function requestRow(
  request: ReserveRequest,
  { wallet, first, last }: { wallet: number; first: number; last: number },
): Row<typeof REQUESTS> {
  return {
    r_wallet: wallet,
    r_entry_point: request.entryPoint,
    r_entry_point_version: request.entryPointVersion,
    r_paymaster: request.paymasterId,
    r_version: request.policyVersion,
    r_mode: request.mode,
    r_sender: request.sender,
    r_nonce: request.nonce,
    r_amount: request.prechargeWei,
    r_valid_until: request.validUntilSeconds,
    r_now: request.nowSeconds,
    r_head: request.headTimeSeconds ?? request.nowSeconds,
    r_first: first,
    r_last: last,
    r_quiet: request.isQuiet ?? false,
  };
}

function budgetRow(claim: BudgetClaim, paymasterId: string): BudgetRow {
  return {
    b_key: claim.key,
    n_paymaster: paymasterId,
    n_live: claim.live,
    n_ends_at: claim.endsAtSeconds,
    n_total: 0n,
    n_limit: limitOf(claim),
    n_version: 0,
  };
}

/** The limit is that of the newest policy, as where a budget has its row already. */
function addTo(row: BudgetRow, claim: BudgetClaim, policyVersion: number): void {
  row.n_total += claim.amount;
  if (policyVersion < row.n_version) return;
  row.n_version = policyVersion;
  row.n_limit = limitOf(claim);
}

function limitOf({ limit, share }: BudgetClaim): bigint {
  return share ? NO_LIMIT : limit;
}

/** `of`: the claim that it is a share of, or 0 for the wallet. */
function claimRow(
  claim: BudgetClaim,
  { request, budget, of }: { request: number; budget: number; of: number | undefined },
): Row<typeof CLAIMS> {
  return {
    c_request: request,
    c_budget: budget,
    c_unit: claim.unit,
    c_amount: claim.amount,
    c_limit: limitOf(claim),
    c_price: claim.microUsdPerNative,
    c_share: claim.share?.percent,
    c_of: of,
  };
}

/** Rows by columns. */
function columns<Columns extends readonly string[]>(names: Columns, rows: ReadonlyArray<Row<Columns>>): string[] {
  return names.map((name: Columns[number]) => `{${rows.map((row) => element(row[name])).join()}}`);
}

const NEEDS_ESCAPE = /["\\]/;

function element(value: Value): string {
  if (value === undefined) return 'NULL';
  if (typeof value !== 'string') return String(value);
  return NEEDS_ESCAPE.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`;
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
