import type { Pool } from 'pg';
import type { UnpaidInTokens } from '@paymaster/domain';
import { fromStored } from '../../src/gateway/stored-event';
import type { RaceSignature } from './process-talk';
import { landingKey } from './race-chain';
import { EXACT, PAYMASTERS } from './race-world';
import type { RaceFinding } from './watch-limits';

interface EventRow {
  readonly id: string;
  readonly kind: string;
  readonly payload: {
    readonly reservationId: string;
    readonly requestId: string;
    readonly prechargeWei: string;
    readonly validUntilSeconds: number;
    readonly policyVersion: number;
    readonly chargedWei: string;
    readonly paymasterId: string;
    readonly sender: string;
    readonly userOpHash: string;
    readonly transactionHash: string;
    readonly trace: readonly { readonly rule: string; readonly input: string }[];
  };
}

interface Hold {
  amount: bigint;
  /** The amount that a charge leaves spent. */
  readonly unit: string;
  microUsdPerNative: bigint;
}

interface Reservation {
  holdWei: bigint;
  validUntilSeconds: number;
  landed: number;
  /**
   * Whether it held an exposure when its operation landed. A signature that was given later cannot be the one that
   * landed.
   */
  wasExposed: boolean;
  end: 'settled' | 'voided' | undefined;
  readonly holds: Map<string, Hold>;
}

/** A limit and its policy version. Unused caps may be deleted and made again, so there can be several. */
interface Memory {
  readonly version: number;
  readonly limit: bigint;
}

interface Budget {
  reserved: bigint;
  spent: bigint;
  memories: readonly Memory[];
}

const PAGE = 2_000;
const UNKNOWN: Memory = { version: 0, limit: 0n };

/**
 * Replays the race from its events. Each event is written in the transaction of the change that it reports, and gets
 * its id under the locks of the budgets that change. So for every single budget, the order of the ids is the order of
 * its changes. Each grant event contains its claims. So the replay can check the limits after every commit, and knows
 * at the end what the tables must contain.
 */
export class OutboxReplay {
  readonly findings: RaceFinding[] = [];
  readonly reservations = new Map<string, Reservation>();
  readonly budgets = new Map<string, Budget>();
  private readonly grants = new Map<string, EventRow['payload']>();
  /** Reservations whose operation took tokens away, by account and sender. */
  private readonly takers = new Map<string, Set<string>>();

  /** @param unpaid the operations that did not pay, as the chain says, by `landingKey` */
  constructor(private readonly unpaid: ReadonlyMap<string, UnpaidInTokens>) {}

  async run(pool: Pool): Promise<void> {
    for (let last = '0'; ;) {
      const { rows } = await pool.query<EventRow>(
        `SELECT id, kind, payload FROM ledger.outbox WHERE id > $1 AND kind NOT IN ('walletChanged', 'networkNearRoom')
         ORDER BY id LIMIT ${PAGE}`,
        [last],
      );
      if (rows.length === 0) return;
      for (const row of rows) this.take({ ...row, payload: fromStored(row.payload) as EventRow['payload'] });
      last = rows.at(-1)!.id;
    }
  }

  get grantCount(): number {
    return this.grants.size;
  }

  /** Checks that a signature was granted before it was given away: once, with the same amount and validity. */
  checkSignature({ requestId, reservationId, prechargeWei, validUntilSeconds }: RaceSignature): void {
    const grant = this.grants.get(requestId);
    const [found, signed] = [grant, { reservationId, prechargeWei, validUntilSeconds }].map(
      (of) => of && [of.reservationId, of.prechargeWei, of.validUntilSeconds].join(),
    );
    if (found !== signed) this.find(`signature ${requestId} of ${signed}`, `a grant of ${found}`);
  }

  private take({ id, kind, payload }: EventRow): void {
    if (kind === 'granted') return this.grant(id, payload);
    const reservation = this.reservations.get(payload.reservationId);
    if (!reservation) return this.find(`event ${id}, ${kind}`, `reservation ${payload.reservationId} was not granted`);
    if (reservation.end) return this.find(`event ${id}, ${kind}`, `after ${reservation.end}`);
    if (kind === 'landed') this.land(reservation, payload);
    if (kind === 'unlanded') {
      reservation.landed--;
      this.takersLike(payload).delete(payload.reservationId);
    }
    const isInBlock = kind === 'landed' || kind === 'settled';
    if (reservation.landed !== Number(isInBlock))
      this.find(`event ${id}, ${kind}`, `landed ${reservation.landed} times`);
    if (kind === 'settled' || kind === 'voided') this.close(reservation, kind, payload);
  }

  /**
   * Only for one wallet account and sender. Accounts of the wallet in other contracts share no lock, so the order of
   * their events proves nothing.
   */
  private takersLike({ paymasterId, sender }: EventRow['payload']): Set<string> {
    const { contract, wallet } = PAYMASTERS.find(({ id }) => id === paymasterId)?.account ?? EXACT.account;
    const key = `${contract} ${wallet} ${sender}`;
    const takers = this.takers.get(key) ?? new Set();
    this.takers.set(key, takers);
    return takers;
  }

  private grant(id: string, payload: EventRow['payload']): void {
    const { reservationId, requestId, policyVersion, trace } = payload;
    if (this.grants.has(requestId)) this.find(`event ${id}`, `request ${requestId} was granted before`);
    this.grants.set(requestId, payload);
    const reservation: Reservation = this.reservations.get(reservationId) ?? {
      ...{ holdWei: 0n, validUntilSeconds: 0, landed: 0, wasExposed: false, end: undefined },
      holds: new Map(),
    };
    if (reservation.end) this.find(`event ${id}, granted`, `after ${reservation.end}`);
    this.reservations.set(reservationId, reservation);
    reservation.holdWei = larger(reservation.holdWei, BigInt(payload.prechargeWei));
    reservation.validUntilSeconds = Math.max(reservation.validUntilSeconds, payload.validUntilSeconds);
    if (trace.some(({ rule }) => isExposure(rule)) && this.takersLike(payload).size > 0) {
      this.find(`event ${id}, granted`, `to ${payload.sender}, which took tokens away`);
    }
    for (const { rule: key, input } of trace) {
      const [unit, amount, limit, price] = input.split(' ') as [string, string, string, string];
      const hold = reservation.holds.get(key) ?? { amount: 0n, unit, microUsdPerNative: 0n };
      const raise = larger(BigInt(amount) - hold.amount, 0n);
      hold.amount += raise;
      hold.microUsdPerNative = larger(hold.microUsdPerNative, BigInt(price));
      reservation.holds.set(key, hold);
      const asked = { version: policyVersion, limit: BigInt(limit) };
      this.raise(`event ${id}, granted`, { key, raise, asked, mayBeForgotten: unit === 'live' });
    }
  }

  private raise(
    what: string,
    { key, raise, asked, mayBeForgotten }: { key: string; raise: bigint; asked: Memory; mayBeForgotten: boolean },
  ): void {
    const budget = this.budgets.get(key) ?? { reserved: 0n, spent: 0n, memories: [UNKNOWN] };
    this.budgets.set(key, budget);
    if (mayBeForgotten && budget.reserved === 0n) budget.memories = [...budget.memories, UNKNOWN];
    budget.reserved += raise;
    // How much of it a sender was known not to have paid is not in the events.
    if (key.includes(':sender:')) return;
    const use = budget.reserved + budget.spent;
    // A request of an older policy meets the newer limit.
    const meets = budget.memories.map((memory) =>
      asked.version >= memory.version || isExposure(key) ? asked : memory,
    );
    const allowing = meets.filter(({ limit }) => use <= limit);
    if (allowing.length === 0) {
      this.find(`${what}: budget ${key}`, `${use} of ${meets.map(({ limit }) => limit).join(' or ')}`);
    }
    const kept = allowing.length > 0 ? allowing : meets;
    budget.memories = [...new Map(kept.map((memory) => [`${memory.version} ${memory.limit}`, memory])).values()];
  }

  /** What has landed is no longer live. */
  private land(reservation: Reservation, payload: EventRow['payload']): void {
    reservation.landed++;
    reservation.wasExposed = [...reservation.holds.keys()].some(isExposure);
    if (reservation.wasExposed && this.unpaid.get(landingKey(payload))?.isTaken) {
      this.takersLike(payload).add(payload.reservationId);
    }
    for (const [key, { unit, amount }] of reservation.holds) {
      if (unit !== 'live') continue;
      this.budgets.get(key)!.reserved -= amount;
      reservation.holds.delete(key);
    }
  }

  private close(reservation: Reservation, end: 'settled' | 'voided', payload: EventRow['payload']): void {
    reservation.end = end;
    const chargedWei = BigInt(payload.chargedWei ?? 0);
    const unpaid = reservation.wasExposed ? this.unpaid.get(landingKey(payload)) : undefined;
    for (const [key, hold] of reservation.holds) {
      const budget = this.budgets.get(key)!;
      budget.reserved -= hold.amount;
      if (end === 'voided') continue;
      const isSpent = unpaid && (unpaid.token === undefined || !key.includes(':token:') || key.endsWith(unpaid.token));
      budget.spent += isExposure(key) ? (isSpent ? hold.amount : 0n) : spentOf(hold, chargedWei);
    }
  }

  private find(what: string, found: string): void {
    this.findings.push({ what, found });
  }
}

const isExposure = (key: string): boolean => key.startsWith('exposure:');

function spentOf({ unit, amount, microUsdPerNative }: Hold, chargedWei: bigint): bigint {
  const ether = 10n ** 18n;
  const asked =
    unit === 'live'
      ? 0n
      : unit === 'count'
        ? 1n
        : unit === 'wei'
          ? chargedWei
          : (chargedWei * microUsdPerNative) / ether + ((chargedWei * microUsdPerNative) % ether > 0n ? 1n : 0n);
  return asked < amount ? asked : amount;
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
