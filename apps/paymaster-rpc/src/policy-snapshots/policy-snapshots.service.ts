import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { assertInTime, DependencyUnavailableError, NO_DEADLINE, type PolicySnapshot } from '@paymaster/domain';
import { PolicyClient, type PolicyChangedEvent, type PolicyListener } from '@paymaster/messaging';
import type { HealthCheck, HealthReport } from '@paymaster/nest-kit';
import { NO_SPAN, type Span } from '@paymaster/tracing';
import { LRUCache } from 'lru-cache';
import { PaymasterRpcConfig } from '../config/paymaster-rpc.config';
import type { LoadedPolicy } from './loaded-policy';
import { OldestUse } from './oldest-use';
import { PolicyCopies, type Copy } from './policy-copies';

/** A copy younger than this is used as it is; milliseconds. */
const REFRESH_AHEAD_MS = 7_000;
/** A copy older than this is confirmed before it is used: the bound on a lost broadcast; milliseconds. */
const REVALIDATE_AFTER_MS = 10_000;
/** How long a request that holds an older copy waits for the confirmation before it uses the copy; milliseconds. */
const PATIENCE_MS = 150;
/** After a refresh failed, none is tried for this long, so that an outage does not slow requests; milliseconds. */
const RETRY_AFTER_MS = 1_000;
/** How long an unknown key is remembered; milliseconds. */
const UNKNOWN_FOR_MS = 1_000;
/** More than are asked for in that time: networks that guess are braked before. */
const MAX_UNKNOWN = 10_000;
const MAX_FLOORS = 100_000;
/** Longer than any late answer; milliseconds. */
const LEAST_FLOOR_MS = 60_000;
/** A dashboard that answers with an older version than was announced is asked this often. */
const ATTEMPTS = 3;

/** A snapshot, or the copy that still is the policy. */
type Answer = PolicySnapshot | Copy;

export interface ResolveRequest {
  readonly apiKeyIndex: string;
  /** The same under the other live index keys, while the index key is being replaced. */
  readonly otherIndexes?: readonly string[] | undefined;
  /** The chains the key may be of. */
  readonly chainIds: readonly number[];
  readonly requestId: string;
  /** What the answer is for; a question to the dashboard is a part of it. */
  readonly span?: Span;
  /** When who asks is answered, whatever is known by then; milliseconds of the monotonic clock. Absent: no matter when. */
  readonly deadlineMs?: number | undefined;
}

/** A question that is out, and who waits for its answer. */
interface Asking {
  readonly answer: Promise<LoadedPolicy | undefined>;
  readonly waiting: Waiting;
}

interface Waiting {
  /** The latest deadline of all who wait: one of them may be gone, and the others still want the answer. */
  untilMs: number;
}

/**
 * Policies in memory, by the blind index of the API key. The dashboard owns them; a copy is dropped when the
 * dashboard says so, confirmed at least every 10 s while in use, never replaced by a lower version, and used for
 * at most POLICY_MAX_STALENESS_SECONDS while nobody confirms it.
 */
@Injectable()
export class PolicySnapshots implements PolicyListener, HealthCheck, OnApplicationBootstrap, OnApplicationShutdown {
  readonly name = 'policy';
  readonly essential = true;

  /** How look-ups went, since the start: a copy that was used at once, none, or one that was to be confirmed. */
  readonly lookups = { hit: 0, miss: 0, stale: 0 };
  /** The oldest copies that requests were answered with lately. */
  readonly oldestUse = new OldestUse();

  private readonly copies = new PolicyCopies();
  /** Broadcasts may have been missed by what was confirmed before; milliseconds. */
  private reconnectedAtMs = -Infinity;
  /**
   * Highest version known of each paymaster: what is lower is out of date, whoever sends it. A floor lives as long as
   * an unconfirmed copy may, so that a database restored to an earlier state is believed after that.
   */
  private readonly floors: LRUCache<string, number>;
  private readonly unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN, ttl: UNKNOWN_FOR_MS });
  /** An operator's bound on staleness may be shorter than ours. */
  private readonly trustedMs: number;
  private readonly inFlight = new Map<string, Asking>();

  constructor(
    private readonly client: PolicyClient,
    private readonly config: PaymasterRpcConfig,
  ) {
    const maxStalenessMs = config.policyMaxStalenessSeconds * 1_000;
    this.trustedMs = Math.min(REFRESH_AHEAD_MS, maxStalenessMs);
    const ttl = Math.max(maxStalenessMs, LEAST_FLOOR_MS);
    // By size: a number of entries has its room made at the start.
    this.floors = new LRUCache({ maxSize: MAX_FLOORS, sizeCalculation: () => 1, ttl });
  }

  onApplicationBootstrap(): void {
    this.client.start(this);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }

  /**
   * The policy of a key. Returns without a promise when the copy is warm.
   *
   * @returns undefined when the key is unknown
   * @throws {DependencyUnavailableError} when there is no usable copy and the dashboard cannot be asked
   */
  resolve(request: ResolveRequest): LoadedPolicy | undefined | Promise<LoadedPolicy | undefined> {
    const copy = this.copies.get(request.apiKeyIndex);
    if (!copy) {
      this.lookups.miss++;
      return this.unknown.has(questionOf(request)) ? undefined : this.refresh(request);
    }
    const nowMs = performance.now();
    const ageMs = nowMs - copy.confirmedAtMs;
    if (ageMs < this.trustedMs && !this.isSuspect(copy)) {
      this.lookups.hit++;
      this.oldestUse.saw(ageMs, nowMs);
      return this.copies.load(request.apiKeyIndex, copy);
    }
    this.lookups.stale++;
    return this.confirm({ request, copy, nowMs, ageMs });
  }

  policyChanged({ paymasterId, version }: PolicyChangedEvent): void {
    this.raiseFloor(paymasterId, version);
    this.copies.deleteOlder(paymasterId, version);
  }

  reconnected(): void {
    this.reconnectedAtMs = performance.now();
  }

  /** Policies in memory, and about how many bytes they take. */
  get size(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.copies.size, bytes: this.copies.bytes };
  }

  /** The connection to NATS that policies come by. */
  get link(): { readonly connected: boolean; readonly reconnects: number } {
    return this.client;
  }

  check(): HealthReport {
    if (this.client.connected) return { status: 'up', detail: `${this.copies.size} policies in memory` };
    const detail = `NATS is not connected; ${this.copies.size} policies in memory`;
    return { status: this.hasUsableCopy() ? 'degraded' : 'down', detail };
  }

  private confirm(state: {
    request: ResolveRequest;
    copy: Copy;
    nowMs: number;
    ageMs: number;
  }): LoadedPolicy | undefined | Promise<LoadedPolicy | undefined> {
    const { request, copy, nowMs, ageMs } = state;
    const usable = ageMs <= this.config.policyMaxStalenessSeconds * 1_000;
    const loaded = usable ? this.copies.load(request.apiKeyIndex, copy) : undefined;
    if (loaded) this.oldestUse.saw(ageMs, nowMs);
    if (loaded && nowMs - copy.failedAtMs < RETRY_AFTER_MS) return loaded;
    // Where there is a copy to go on with, the answer is for whoever comes next.
    const deadlineMs = loaded ? NO_DEADLINE : request.deadlineMs;
    const refreshed = this.refresh({ ...request, chainIds: [copy.chainId], deadlineMs });
    if (!loaded) return refreshed;
    const orCopy = refreshed.catch(() => loaded);
    return ageMs < REVALIDATE_AFTER_MS && !this.isSuspect(copy) ? loaded : withPatience(orCopy, loaded);
  }

  /** One question at a time per key and chains, however many requests wait for the answer. */
  private refresh(request: ResolveRequest): Promise<LoadedPolicy | undefined> {
    const { deadlineMs = NO_DEADLINE } = request;
    const question = questionOf(request);
    const running = this.inFlight.get(question);
    if (running) {
      running.waiting.untilMs = Math.max(running.waiting.untilMs, deadlineMs);
      return running.answer;
    }
    const waiting: Waiting = { untilMs: deadlineMs };
    const answer = this.ask(request, waiting).finally(() => this.inFlight.delete(question));
    this.inFlight.set(question, { answer, waiting });
    return answer;
  }

  private async ask(request: ResolveRequest, waiting: Waiting): Promise<LoadedPolicy | undefined> {
    const { apiKeyIndex } = request;
    let answer: Answer | undefined;
    try {
      answer = await this.currentAnswer(request, waiting);
    } catch (error) {
      const copy = this.copies.peek(apiKeyIndex);
      if (copy) copy.failedAtMs = performance.now();
      throw error;
    }
    if (answer) return this.keep(apiKeyIndex, answer);
    this.copies.delete(apiKeyIndex);
    this.unknown.set(questionOf(request), true);
    return undefined;
  }

  private async currentAnswer(request: ResolveRequest, waiting: Waiting): Promise<Answer | undefined> {
    const { apiKeyIndex, otherIndexes, chainIds, requestId, span = NO_SPAN } = request;
    for (const chainId of chainIds) {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        assertInTime(waiting.untilMs, performance.now());
        const known = this.copies.peek(apiKeyIndex);
        const question = span.call('policy.resolve');
        const { traceparent } = question;
        const origin = { requestId, traceparent };
        const said = await question.until(this.client.resolve({ chainId, apiKeyIndex, otherIndexes }, origin, known));
        const answer = said === 'unchanged' ? known : said;
        if (!answer) break;
        if (answer.version >= (this.floors.get(answer.paymasterId) ?? 0)) return answer;
        if (attempt === ATTEMPTS) {
          throw new DependencyUnavailableError('dashboard', 'The policy service answers with an outdated policy.');
        }
      }
    }
    return undefined;
  }

  private keep(index: string, answer: Answer): LoadedPolicy {
    this.raiseFloor(answer.paymasterId, answer.version);
    const nowMs = performance.now();
    return 'text' in answer ? this.copies.confirm(index, answer, nowMs) : this.copies.keep(index, answer, nowMs);
  }

  private isSuspect({ confirmedAtMs }: Copy): boolean {
    return confirmedAtMs <= this.reconnectedAtMs;
  }

  private raiseFloor(paymasterId: string, version: number): void {
    if (version >= (this.floors.get(paymasterId) ?? 0)) this.floors.set(paymasterId, version);
  }

  private hasUsableCopy(): boolean {
    const oldestMs = performance.now() - this.config.policyMaxStalenessSeconds * 1_000;
    for (const copy of this.copies.values()) if (copy.confirmedAtMs >= oldestMs) return true;
    return false;
  }
}

function questionOf({ apiKeyIndex, chainIds }: ResolveRequest): string {
  return `${apiKeyIndex}:${chainIds.join()}`;
}

/** The answer if it comes soon, else the fallback; the answer still arrives in the background. */
async function withPatience<T>(answer: Promise<T>, fallback: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(fallback), PATIENCE_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
