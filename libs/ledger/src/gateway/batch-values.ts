import { WALLET, type BudgetClaim, type ReserveRequest } from './ledger';
import { toStored } from './stored-event';
import { toJson } from './to-json';

/** The limit that is stored for a share; its real limit depends on what others hold. */
const NO_LIMIT = 2n ** 256n - 1n;

/** The decision of `ledger.reserve_for_clients` about one request. Numbers are decimal text. */
export interface Decision {
  /** Null: refused. */
  readonly reservation_id: string | null;
  readonly refused_by: 'behind' | 'wallet' | 'claim' | 'blocked' | Braked | ClientBound | null;
  /** The position of the refused claim in the request, from 0. */
  readonly refused_claim: number | null;
  /**
   * The sum of what the budget has reserved and spent, or what the client's network has used. When the wallet or its
   * spending brake refused, the amount that is left for this request.
   */
  readonly used_amount: string | null;
  /**
   * The limit of the budget, or the bound on the client's network. When the spending brake refused, the amount that the
   * paymaster lost in the last hour.
   */
  readonly limit_amount: string | null;
  /** Seconds until enough of what landed is more than an hour old; null where that does not help. */
  readonly retry_after: string | null;
}

/**
 * How the spending brake refused (docs/architecture/ledger.md). `brake`: it has no room now. `stops`: it stopped the
 * paymaster with this request. `stopped`: it had stopped the paymaster before.
 */
export type Braked = 'brake' | 'stops' | 'stopped';

/**
 * The bound on strangers that refused (docs/architecture/ledger.md, "Strangers"). `excess`: what is asked beyond the
 * gateway's own answer. `room`: what the network's operations cost within an hour. `newcomers`: what the operations of
 * all new networks together cost within an hour. `held`: what the network holds at once. `strangers`: what all senders
 * that landed nothing lately hold.
 */
export type ClientBound = 'excess' | 'room' | 'newcomers' | 'held' | 'strangers';

type Value = string | number | bigint | boolean | undefined;

const WALLETS = ['w_chain', 'w_contract', 'w_wallet'] as const;
const BUDGETS = ['b_key', 'n_paymaster', 'n_live', 'n_ends_at', 'n_total', 'n_limit', 'n_version'] as const;
const REQUESTS = [
  ...(['r_wallet', 'r_entry_point', 'r_entry_point_version', 'r_paymaster', 'r_version', 'r_mode'] as const),
  ...(['r_sender', 'r_nonce', 'r_amount', 'r_valid_until', 'r_now', 'r_head', 'r_first', 'r_last', 'r_quiet'] as const),
  ...(['r_brake', 'r_released', 'r_expected', 'r_network', 'r_excess', 'r_own', 'r_room', 'r_least_room'] as const),
  ...(['r_ordinary', 'r_testnet', 'r_freely'] as const),
] as const;
const CLAIMS = [
  'c_request',
  'c_budget',
  'c_unit',
  'c_amount',
  'c_limit',
  'c_price',
  'c_share',
  'c_of',
  'c_version',
  'c_strangers',
  'c_lifts',
] as const;

const LANDED = ['l_request', 'l_nonce'] as const;

/** Parameters of `ledger.reserve_for_clients`, in the order of {@link batchValues}. */
export const BATCH_PARAMETERS = [
  'max_lag',
  ...WALLETS,
  ...BUDGETS,
  ...REQUESTS,
  ...CLAIMS,
  ...LANDED,
  'events',
] as const;

/** Everything that a batch asks of one budget. */
interface AskedBudget {
  readonly key: string;
  readonly paymasterId: string;
  readonly live: boolean;
  readonly endsAtSeconds: number | undefined;
  total: bigint;
  /** The limit of the newest policy version, as for budgets that already have a row. */
  limit: bigint;
  version: number;
}

/**
 * A batch in the form that `ledger.reserve_for_clients` reads (../schema/reserve.sql.ts): one array per column, in Postgres' text
 * form. Each wallet and each budget occurs once; requests and claims refer to it by its position, from 1.
 */
export function batchValues(requests: readonly ReserveRequest[], maxLagSeconds: number): readonly string[] {
  const wallets = new Positions<ReserveRequest>();
  const budgets = new Positions<AskedBudget>();
  const requestColumns = new Columns(REQUESTS);
  const claimColumns = new Columns(CLAIMS);
  const landedColumns = new Columns(LANDED);
  const events: string[] = [];
  for (const request of requests) {
    const wallet = wallets.of(`${request.chainId}/${request.contract}/${request.wallet}`, () => request);
    const first = claimColumns.rows + 1;
    for (const claim of request.claims) {
      const budget = budgets.of(claim.key, () => unasked(claim, request.paymasterId));
      ask(budgets.all[budget - 1]!, claim, request.policyVersion);
      addClaim(claimColumns, claim, {
        request: requestColumns.rows + 1,
        budget,
        of: claim.share && positionOf(claim.share.of, { claims: request.claims, first }),
      });
    }
    addRequest(requestColumns, request, { wallet, first, last: claimColumns.rows });
    for (const nonce of request.landedNonces ?? []) landedColumns.add(requestColumns.rows, nonce);
    events.push(toJson(toStored(request.event)));
  }
  return [
    String(maxLagSeconds),
    ...walletColumns(wallets.all),
    ...budgetColumns(budgets.all),
    ...requestColumns.texts(),
    ...claimColumns.texts(),
    ...landedColumns.texts(),
    // JSON has no line breaks of its own.
    events.join('\n'),
  ];
}

function walletColumns(wallets: readonly ReserveRequest[]): readonly string[] {
  const columns = new Columns(WALLETS);
  for (const { chainId, contract, wallet } of wallets) columns.add(chainId, contract, wallet);
  return columns.texts();
}

function budgetColumns(budgets: readonly AskedBudget[]): readonly string[] {
  const columns = new Columns(BUDGETS);
  for (const { key, paymasterId, live, endsAtSeconds, total, limit, version } of budgets) {
    columns.add(key, paymasterId, live, endsAtSeconds, total, limit, version);
  }
  return columns.texts();
}

function addRequest(
  columns: Columns<typeof REQUESTS>,
  request: ReserveRequest,
  { wallet, first, last }: { wallet: number; first: number; last: number },
): void {
  const { client } = request;
  columns.add(
    wallet,
    request.entryPoint,
    request.entryPointVersion,
    request.paymasterId,
    request.policyVersion,
    request.mode,
    request.sender,
    request.nonce,
    request.prechargeWei,
    request.validUntilSeconds,
    request.nowSeconds,
    request.headTimeSeconds ?? request.nowSeconds,
    first,
    last,
    request.isQuiet ?? false,
    request.brakeReleasedAtMs !== undefined,
    request.brakeReleasedAtMs ?? 0,
    request.expectedWei,
    client?.network,
    client?.excessWei,
    client?.isOwnAnswer,
    client?.roomMillionths,
    client?.leastRoomWei,
    client?.ordinaryWei,
    client?.isTestnet,
    client?.holdsFreely ?? false,
  );
}

/** `of`: the claim that it is a share of, or 0 for the wallet. */
function addClaim(
  columns: Columns<typeof CLAIMS>,
  claim: BudgetClaim,
  { request, budget, of }: { request: number; budget: number; of: number | undefined },
): void {
  const { unit, amount, microUsdPerNative, share, version } = claim;
  const isOfStrangers = share?.isOfStrangers ?? false;
  columns.add(
    request,
    budget,
    unit,
    amount,
    limitOf(claim),
    microUsdPerNative,
    share?.percent,
    of,
    version,
    isOfStrangers,
    claim.liftsWhenLate ?? false,
  );
}

/** The position of the claim on a budget; `assertReservable` has checked that it exists and precedes its shares. */
function positionOf(key: string, { claims, first }: { claims: readonly BudgetClaim[]; first: number }): number {
  return key === WALLET ? 0 : first + claims.findIndex((claim) => claim.key === key);
}

function unasked(claim: BudgetClaim, paymasterId: string): AskedBudget {
  const { key, live, endsAtSeconds } = claim;
  return { key, paymasterId, live, endsAtSeconds, total: 0n, limit: limitOf(claim), version: 0 };
}

function ask(budget: AskedBudget, claim: BudgetClaim, policyVersion: number): void {
  budget.total += claim.amount;
  const version = claim.version ?? policyVersion;
  if (version < budget.version) return;
  budget.version = version;
  budget.limit = limitOf(claim);
}

function limitOf({ limit, share }: BudgetClaim): bigint {
  return share ? NO_LIMIT : limit;
}

/** Turns rows into columns, each in the text form of a Postgres array. */
class Columns<Names extends readonly string[]> {
  rows = 0;
  private readonly columns: string[];

  constructor(names: Names) {
    this.columns = names.map(() => '');
  }

  /** Adds a row with a value for each column. */
  add(...values: { [Index in keyof Names]: Value }): void {
    const separator = this.rows === 0 ? '' : ',';
    for (let index = 0; index < values.length; index++) {
      this.columns[index] += separator + element(values[index]);
    }
    this.rows++;
  }

  texts(): readonly string[] {
    return this.columns.map((elements) => `{${elements}}`);
  }
}

const NEEDS_ESCAPE = /["\\]/;

function element(value: Value): string {
  if (value === undefined) return 'NULL';
  if (typeof value !== 'string') return String(value);
  return NEEDS_ESCAPE.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`;
}

/** Distinct items, in the order in which they were first seen. */
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
