import { DependencyUnavailableError, RequestTimedOutError } from '@paymaster/domain';
import { NO_DEADLINE, timeoutWithin } from '@paymaster/turns';
import type { ReserveRequest, WalletAccount } from './ledger';
import { BATCH_PARAMETERS, batchValues, type Decision } from './batch-values';
import type { Database, Statement } from './database';
import { isAboutTheData } from './is-about-the-data';
import { refusal } from './refusals';

/** The most reservations in one round trip. */
const MAX_BATCH_SIZE = 64;

export interface ReservationQueueOptions {
  readonly maxBatchesInFlight: number;
  readonly maxLagSeconds: number;
  readonly deadlineMs: number;
  /** Called for each batch that Postgres has decided, with the number of reservations and the duration. For metrics. */
  readonly onBatch: (size: number, seconds: number) => void;
  readonly onStop: (stopped: StoppedPaymaster) => void;
}

/** A paymaster that the spending brake stopped with this batch. */
export interface StoppedPaymaster extends WalletAccount {
  readonly paymasterId: string;
  /** Within an hour. */
  readonly lostWei: bigint;
}

interface Waiting {
  readonly request: ReserveRequest;
  readonly key: string;
  /** True when the request was answered or given up. */
  isDone: boolean;
  /** When the request is given up; milliseconds of the monotonic clock. */
  readonly untilMs: number;
  readonly grant: (reservationId: string) => void;
  readonly fail: (error: Error) => void;
}

export const RESERVE = {
  name: 'ledger-reserve',
  text: `SELECT reservation_id, refused_by, refused_claim, used_amount, limit_amount, retry_after
           FROM ledger.reserve_for_clients(${BATCH_PARAMETERS.map((name, index) => `${name} => $${index + 1}`).join()})`,
};

/**
 * Turns requests into batches. A request that arrives alone is sent at once. Requests that arrive while all connections
 * are busy are sent together, in one round trip and one commit.
 */
export class ReservationQueue {
  private waiting: Waiting[] = [];
  private inFlight = 0;
  private scheduled = false;

  constructor(
    private readonly database: Database,
    private readonly options: ReservationQueueOptions,
  ) {}

  /** @returns the reservation's id; rejects as {@link Ledger.reserve} says */
  add(request: ReserveRequest): Promise<string> {
    return new Promise((resolve, reject) => {
      const nowMs = performance.now();
      const boundMs = this.options.deadlineMs;
      const waitMs = timeoutWithin(request.deadlineMs ?? NO_DEADLINE, { boundMs, nowMs });
      const settle =
        <T>(then: (value: T) => void) =>
        (value: T): void => {
          item.isDone = true;
          clearTimeout(timer);
          then(value);
        };
      const item: Waiting = {
        request,
        key: operationKey(request),
        isDone: false,
        untilMs: nowMs + waitMs,
        grant: settle(resolve),
        fail: settle(reject),
      };
      const timer = setTimeout(() => item.fail(waitMs < boundMs ? new RequestTimedOutError() : tooSlow()), waitMs);
      this.waiting.push(item);
      this.schedule();
    });
  }

  /** Requests of one turn of the event loop share a batch. */
  private schedule(): void {
    if (this.scheduled || this.inFlight >= this.options.maxBatchesInFlight) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.send();
    });
  }

  /** Starts as many batches as may be under way. */
  private send(): void {
    while (this.inFlight < this.options.maxBatchesInFlight) {
      const batch = this.nextBatch();
      if (batch.length === 0) return;
      this.inFlight++;
      void this.run(batch);
    }
  }

  /** The oldest first. Two requests of one operation never share a batch: the second has to see what the first held. */
  private nextBatch(): Waiting[] {
    const batch: Waiting[] = [];
    const later: Waiting[] = [];
    const keys = new Set<string>();
    const nowMs = performance.now();
    for (const [index, item] of this.waiting.entries()) {
      if (batch.length === MAX_BATCH_SIZE) {
        later.push(...this.waiting.slice(index));
        break;
      }
      if (!isWaitedFor(item, nowMs)) continue;
      if (keys.has(item.key)) later.push(item);
      else {
        keys.add(item.key);
        batch.push(item);
      }
    }
    this.waiting = later;
    return batch;
  }

  private async run(batch: readonly Waiting[]): Promise<void> {
    const decided = await this.decide(batch);
    this.inFlight--;
    // Sends the next batch before the answers are given, so that it is under way while the answers are signed.
    this.send();
    decided();
  }

  /** Sends a batch to the ledger. @returns a function that answers the requests of the batch */
  private async decide(batch: readonly Waiting[]): Promise<() => void> {
    const startedMs = performance.now();
    try {
      let asked = batch;
      const whole = this.statement(batch);
      const decisions = await this.database.query<Decision>(() => {
        // Waiting for a connection may have taken long. Requests that gave up meanwhile are left out, so that nothing
        // is held for them.
        asked = stillWaiting(batch);
        if (asked.length === batch.length) return whole;
        return asked.length > 0 ? this.statement(asked) : undefined;
      });
      if (asked.length > 0) this.options.onBatch(asked.length, (performance.now() - startedMs) / 1_000);
      return () => {
        asked.forEach((item, index) => answer(item, decisions[index]));
        asked.forEach((item, index) => this.tellStop(item, decisions[index]));
      };
    } catch (error) {
      if (batch.length === 1 || !isAboutTheData(error)) {
        return () => batch.forEach((item) => item.fail(error as Error));
      }
      const each: Array<() => void> = [];
      for (const item of batch) each.push(await this.decide([item]));
      return () => each.forEach((tell) => tell());
    }
  }

  private tellStop({ request }: Waiting, decision: Decision | undefined): void {
    if (decision?.refused_by !== 'stops') return;
    const { chainId, contract, wallet, paymasterId } = request;
    this.options.onStop({ chainId, contract, wallet, paymasterId, lostWei: BigInt(decision.limit_amount ?? 0) });
  }

  private statement(batch: readonly Waiting[]): Statement {
    const requests = batch.map(({ request }) => request);
    return { ...RESERVE, values: batchValues(requests, this.options.maxLagSeconds) };
  }
}

function stillWaiting(batch: readonly Waiting[]): readonly Waiting[] {
  const nowMs = performance.now();
  return batch.filter((item) => isWaitedFor(item, nowMs));
}

/** A busy process may give up a request later than its deadline. */
function isWaitedFor({ isDone, untilMs }: Waiting, nowMs: number): boolean {
  return !isDone && nowMs < untilMs;
}

/** Must not throw, because the other requests of the batch still need their answers. */
function answer(item: Waiting, decision: Decision | undefined): void {
  if (decision?.reservation_id) return item.grant(decision.reservation_id);
  try {
    if (!decision) throw new Error('the ledger decided on fewer requests than it was sent');
    item.fail(refusal(item.request, decision));
  } catch (error) {
    item.fail(error as Error);
  }
}

function operationKey({ chainId, contract, wallet, paymasterId, sender, nonce }: ReserveRequest): string {
  return [chainId, contract, wallet, paymasterId, sender, nonce].join('/');
}

function tooSlow(): DependencyUnavailableError {
  return new DependencyUnavailableError('database', 'The ledger did not answer in time; nothing was signed.');
}
