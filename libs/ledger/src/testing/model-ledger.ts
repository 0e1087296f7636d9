import { max } from '@paymaster/domain';
import { WALLET, type BudgetClaim, type ClientAsk, type ReserveRequest } from '../gateway/ledger';

/** The limit that is stored for a share. */
const NO_LIMIT = 2n ** 256n - 1n;
/** More than any operation costs. */
const NO_BOUND = 2n ** 256n;

/** An operation, and the amounts with which it is to count in its network. */
interface Counting {
  readonly key: string;
  readonly counts: {
    readonly network: string;
    readonly holdWei: bigint;
    readonly expectedWei: bigint;
    readonly excessWei: bigint;
  };
}

interface ModelBudget {
  limit: bigint;
  version: number;
  holds: Map<string, bigint>;
}

interface ModelReservation {
  readonly holdWei: bigint;
  readonly expectedWei: bigint;
  readonly excessWei: bigint;
  /** Nothing lands in the model, so every network is new and every sender a stranger. */
  readonly network: string | undefined;
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

    const asked = this.askedOf(request, known);
    const { network } = asked;
    const counts = network === undefined ? undefined : { ...asked, network, holdWei };
    const counted = counts && this.overCounted(request.client!, wallet, { key, counts });
    if (counted) return counted;
    const roomWei = this.roomWei(request);
    if (asked.expectedWei - (known?.expectedWei ?? 0n) > roomWei) return 'SPENDING_BRAKE';
    const held = counts && this.overHeld(request.client!, wallet, { key, counts });
    if (held) return held;

    const left = new Map([
      [WALLET as string, max(min(roomWei, (this.spendableWei.get(wallet) ?? 0n) - this.heldWei(wallet)), 0n)],
    ]);
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
    const { expectedWei, excessWei } = asked;
    const owner = asked.moves ? network : known?.network;
    this.reservations.set(key, {
      ...{ holdWei, expectedWei, excessWei, network: owner, validUntilSeconds, wallet, paymasterId },
    });
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

  /**
   * The amounts with which the operation counts from now on, and the network by whose bounds it is judged; undefined:
   * no network.
   */
  private askedOf({ prechargeWei, expectedWei = prechargeWei, client }: ReserveRequest, known?: ModelReservation) {
    const excessWei = client?.excessWei ?? 0n;
    const isRaised =
      known === undefined ||
      prechargeWei > known.holdWei ||
      expectedWei > known.expectedWei ||
      excessWei > known.excessWei;
    const moves = isRaised || client?.network === known.network;
    return {
      moves,
      network: moves ? client?.network : undefined,
      expectedWei: max(expectedWei, known?.expectedWei ?? 0n),
      excessWei: max(excessWei, known?.excessWei ?? 0n),
    };
  }

  /** The sums of the others: of one network, or of all. */
  private others(wallet: string, key: string, network?: string) {
    const rows = [...this.reservations].filter(
      ([other, row]) =>
        other !== key &&
        row.wallet === wallet &&
        row.network !== undefined &&
        [row.network, undefined].includes(network),
    );
    const of = (field: 'holdWei' | 'expectedWei' | 'excessWei') => sum(rows.map(([, row]) => row[field]));
    return { holdWei: of('holdWei'), expectedWei: of('expectedWei'), excessWei: of('excessWei') };
  }

  /** The amounts with which the operation counts already. */
  private own(key: string, network?: string) {
    const row = this.reservations.get(key);
    const isOwn = row?.network !== undefined && [row.network, undefined].includes(network);
    return isOwn ? row : { holdWei: 0n, expectedWei: 0n, excessWei: 0n };
  }

  private overCounted(client: ClientAsk, wallet: string, { key, counts }: Counting): string | undefined {
    if (client.isTestnet) return undefined;
    const whole = this.spendableWei.get(wallet) ?? 0n;
    const [network, all] = [this.others(wallet, key, counts.network), this.others(wallet, key)];
    const [own, ownOfAll] = [this.own(key, counts.network), this.own(key)];
    const isAlone = (sumWei: bigint) => sumWei === 0n && counts.expectedWei <= client.ordinaryWei;
    const room = min(
      whole / 4n,
      max((whole * client.roomMillionths) / 1_000_000n, min(client.leastRoomWei, whole / 10n)),
    );
    const excess = network.excessWei + counts.excessWei;
    const mostExcess = max(whole / 100n, min(client.leastRoomWei, whole / 10n) / 3n);
    const isBeyond = counts.excessWei > own.excessWei && excess > mostExcess && !isAlone(network.excessWei);
    if (!client.isOwnAnswer && isBeyond) return 'ASKED_BEYOND_OWN_ANSWER';
    const isOver = (others: bigint, held: bigint, most: bigint) =>
      counts.expectedWei > held && others + counts.expectedWei > most && !isAlone(others);
    if (isOver(network.expectedWei, own.expectedWei, room)) return 'CLIENT_NETWORK_HOUR_USED';
    return isOver(all.expectedWei, ownOfAll.expectedWei, whole / 4n) ? 'NEW_NETWORKS_HOUR_USED' : undefined;
  }

  private overHeld(client: ClientAsk, wallet: string, { key, counts }: Counting): string | undefined {
    const whole = this.spendableWei.get(wallet) ?? 0n;
    const isOver = (others: bigint, held: bigint, most: bigint) =>
      counts.holdWei > held && others > 0n && others + counts.holdWei > most;
    const ofNetwork = this.others(wallet, key, counts.network).holdWei;
    const ownWei = this.own(key, counts.network).holdWei;
    const isShare =
      isOver(ofNetwork, ownWei, max(whole / 100n, 5n * client.ordinaryWei)) ||
      isOver(this.others(wallet, key).holdWei, this.own(key).holdWei, whole / 2n);
    return isShare && !client.holdsFreely ? 'FUNDING_WALLET_SHARE_REACHED' : undefined;
  }

  /** A request of an older policy meets the newer limit. */
  private limitOf(claim: BudgetClaim, policyVersion: number): bigint {
    const budget = this.budgets.get(claim.key);
    return budget && policyVersion < budget.version && !isOfRequest(claim) ? budget.limit : claim.limit;
  }

  /** The model has no losses: what a paymaster's operations will cost must not be more than what stays free. */
  private roomWei({ wallet, paymasterId, sender, nonce, brakeReleasedAtMs }: ReserveRequest): bigint {
    const leftWei = (this.spendableWei.get(wallet) ?? -1n) - this.sumOf('expectedWei', wallet);
    const expectedWei = this.sumOf('expectedWei', wallet, paymasterId);
    const ownWei = this.reservations.get([wallet, paymasterId, sender, nonce].join('/'))?.expectedWei ?? 0n;
    if (brakeReleasedAtMs === undefined || expectedWei === ownWei) return NO_BOUND;
    return leftWei < expectedWei ? -1n : (leftWei - expectedWei) / 2n;
  }

  heldWei(wallet: string): bigint {
    return this.sumOf('holdWei', wallet);
  }

  private sumOf(field: 'holdWei' | 'expectedWei', wallet: string, paymasterId?: string): bigint {
    const rows = [...this.reservations.values()].filter((each) => each.wallet === wallet);
    return sum(rows.filter((each) => [each.paymasterId, undefined].includes(paymasterId)).map((row) => row[field]));
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
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const sum = (values: Iterable<bigint>): bigint => [...values].reduce((a, b) => a + b, 0n);
const total = (budget: ModelBudget | undefined): bigint => sum(budget?.holds.values() ?? []);
