import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DependencyUnavailableError, type PolicySnapshot } from '@paymaster/domain';
import { PolicyClient, type PolicyChangedEvent, type PolicyListener } from '@paymaster/messaging';
import type { HealthCheck, HealthReport } from '@paymaster/nest-kit';
import { NO_SPAN, type Span } from '@paymaster/tracing';
import { assertInTime, inTime, NO_DEADLINE } from '@paymaster/turns';
import { LRUCache } from 'lru-cache';
import { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { OldestCopyInUse } from './oldest-copy-in-use';
import { PolicyCopies, type Copy, type LoadedPolicy } from './policy-copies';
import { PolicyNewsFeed } from './policy-news-feed';

/** A copy that was confirmed within this time is used as it is; milliseconds. */
const REFRESH_AHEAD_MS = 7_000;
/** A copy that was not confirmed for longer is confirmed before it is used: the bound on lost messages; milliseconds. */
const REVALIDATE_AFTER_MS = 10_000;
/** How long a request that holds an older copy waits for the confirmation before it uses the copy; milliseconds. */
const PATIENCE_MS = 150;
/**
 * The dashboard is asked at least this often about a named key in use, also while the news confirm its copy: it notes to
 * the minute when such a key was last used. Milliseconds.
 */
const ASK_NAMED_MS = 60_000;
/**
 * After a failed refresh, no further refresh is tried for this long, so that an outage does not slow requests;
 * milliseconds.
 */
const RETRY_AFTER_MS = 1_000;
/** How long an unknown key is remembered; milliseconds. */
const UNKNOWN_FOR_MS = 1_000;
/** More than the unknown keys of that time, because the rate limit stops clients that guess. */
const MAX_UNKNOWN = 10_000;
const MAX_FLOORS = 100_000;
/** The least time for which a floor is remembered: no answer is as late as this. Milliseconds. */
const LEAST_FLOOR_MS = 60_000;
/** How often a dashboard is asked if it answers with an older version than was announced. */
const ATTEMPTS = 3;

/** What the dashboard said of a key. */
interface Answer {
  /** A snapshot, or the copy that still is the policy. */
  readonly policy: PolicySnapshot | Copy;
  readonly lasting: boolean;
  /** Milliseconds of the monotonic clock. */
  readonly askedAtMs: number;
}

export interface ResolveRequest {
  readonly apiKeyIndex: string;
  /** The same under the other live index keys, while the index key is being replaced. */
  readonly otherIndexes?: readonly string[] | undefined;
  /** The chains to which the key may belong. */
  readonly chainIds: readonly number[];
  readonly requestId: string;
  /** The span of the request; a question to the dashboard becomes a part of it. */
  readonly span?: Span;
  /**
   * The time at which the caller gets an answer at the latest; milliseconds of the monotonic clock. Absent: no
   * deadline.
   */
  readonly deadlineMs?: number | undefined;
}

/** A question to the dashboard that is under way, with the requests that wait for its answer. */
interface Asking {
  /** A copy that was confirmed has no tables until somebody needs them. */
  readonly answer: Promise<LoadedPolicy | Copy | undefined>;
  readonly waiting: Waiting;
}

interface Waiting {
  /** The latest deadline of all waiting requests: when one gives up, the others still need the answer. */
  untilMs: number;
}

/**
 * Policies in memory, by the blind index of the API key. The dashboard owns the policies. The gateway drops a copy when
 * the dashboard announces a change, confirms a copy in use at least every 10 s, and never replaces it by a lower
 * version. The dashboard's news confirm all copies at once; without news the gateway asks about each copy. While the
 * dashboard does not confirm a copy, the gateway uses it for at most POLICY_MAX_STALENESS_SECONDS.
 */
@Injectable()
export class PolicySnapshots implements PolicyListener, HealthCheck, OnApplicationBootstrap, OnApplicationShutdown {
  readonly name = 'policy';
  readonly essential = true;

  /**
   * Counts of look-ups since the start: the copy was used at once (`hit`), there was no copy (`miss`), or it had to be
   * confirmed first (`stale`).
   */
  readonly lookups = { hit: 0, miss: 0, stale: 0 };
  /** The age of the oldest copy that recently answered a request. */
  readonly oldestInUse = new OldestCopyInUse();

  private readonly copies = new PolicyCopies();
  private readonly news: PolicyNewsFeed;
  /** A copy that was confirmed before this time may have missed a broadcast; milliseconds. */
  private reconnectedAtMs = -Infinity;
  /**
   * The highest known version of each paymaster. A lower version is out of date, and the gateway refuses it. A floor is
   * forgotten after the time for which an unconfirmed copy may be used. So after a restore of the database to an
   * earlier state, the gateway accepts the restored versions after that time.
   */
  private readonly floors: LRUCache<string, number>;
  private readonly unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN, ttl: UNKNOWN_FOR_MS });
  /** An operator's bound on staleness may be shorter than ours. */
  private readonly trustedMs: number;
  /** For how long the news confirm a copy about which nobody asked. After half of it, a copy in use is asked about. */
  private readonly confirmForMs: number;
  private readonly inFlight = new Map<string, Asking>();

  constructor(
    private readonly client: PolicyClient,
    private readonly config: PaymasterRpcConfig,
  ) {
    const maxStalenessMs = config.policyMaxStalenessSeconds * 1_000;
    this.trustedMs = Math.min(REFRESH_AHEAD_MS, maxStalenessMs);
    const ttl = Math.max(maxStalenessMs, LEAST_FLOOR_MS);
    // Bounded by size and not by `max`, because the cache would allocate memory for `max` entries at the start.
    this.floors = new LRUCache({ maxSize: MAX_FLOORS, sizeCalculation: () => 1, ttl });
    this.confirmForMs = maxStalenessMs + ASK_NAMED_MS;
    this.news = new PolicyNewsFeed(client, {
      onChange: (event) => this.policyChanged(event),
      confirmForMs: this.confirmForMs,
    });
  }

  onApplicationBootstrap(): void {
    this.client.start(this);
    this.news.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.news.stop();
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
      return this.unknown.has(questionOf(request)) ? undefined : this.refreshed(request);
    }
    const nowMs = performance.now();
    const confirmedAtMs = this.news.confirmedAtMs(copy, nowMs);
    const ageMs = nowMs - confirmedAtMs;
    const isSuspect = confirmedAtMs <= this.reconnectedAtMs;
    const askAfterMs = copy.isNamed ? ASK_NAMED_MS : this.confirmForMs / 2;
    if (ageMs < this.trustedMs && nowMs - copy.confirmedAtMs < askAfterMs && !isSuspect) {
      this.lookups.hit++;
      this.oldestInUse.saw(ageMs, nowMs);
      return this.copies.load(request.apiKeyIndex, copy);
    }
    this.lookups.stale++;
    return this.confirm({ request, copy, nowMs, ageMs, isSuspect, askAfterMs });
  }

  /** Whether a newer version than this one is known to exist. */
  isOutdated({ paymasterId, version }: Pick<PolicySnapshot, 'paymasterId' | 'version'>): boolean {
    return (this.floors.peek(paymasterId) ?? 0) > version;
  }

  policyChanged({ paymasterId, version }: PolicyChangedEvent): void {
    this.raiseFloor(paymasterId, version);
    this.copies.deleteOlder(paymasterId, version);
  }

  reconnected(): void {
    this.reconnectedAtMs = performance.now();
    void this.news.ask();
  }

  /** The number of policies in memory, and about how many bytes they take. */
  get size(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.copies.size, bytes: this.copies.bytes };
  }

  /** The connection to NATS over which policies arrive. */
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
    isSuspect: boolean;
    askAfterMs: number;
  }): LoadedPolicy | undefined | Promise<LoadedPolicy | undefined> {
    const { request, copy, nowMs, ageMs, isSuspect, askAfterMs } = state;
    const usable = ageMs <= this.config.policyMaxStalenessSeconds * 1_000;
    const loaded = usable ? this.copies.load(request.apiKeyIndex, copy) : undefined;
    if (loaded) this.oldestInUse.saw(ageMs, nowMs);
    if (loaded && nowMs - copy.failedAtMs < RETRY_AFTER_MS) return loaded;
    // If there is a usable copy, this request uses it, and the answer serves later requests.
    const deadlineMs = loaded ? NO_DEADLINE : request.deadlineMs;
    const asked = { ...request, chainIds: [copy.chainId], deadlineMs };
    if (!loaded) return this.refreshed(asked);
    // A database that lost a change has no news of it, so a copy about which nobody asked for long is asked about first.
    const isRecent = ageMs < REVALIDATE_AFTER_MS && nowMs - copy.confirmedAtMs < askAfterMs + REVALIDATE_AFTER_MS;
    if (isRecent && !isSuspect) {
      this.refresh(asked).catch(() => undefined);
      return loaded;
    }
    // A late answer is still stored in the background.
    return inTime(
      this.refreshed(asked).catch(() => loaded),
      PATIENCE_MS,
      () => loaded,
    );
  }

  private async refreshed(request: ResolveRequest): Promise<LoadedPolicy | undefined> {
    const answer = await this.refresh(request);
    return answer && 'text' in answer ? this.copies.load(request.apiKeyIndex, answer) : answer;
  }

  /** One question at a time per key and chains, however many requests wait for the answer. */
  private refresh(request: ResolveRequest): Asking['answer'] {
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

  private async ask(request: ResolveRequest, waiting: Waiting): Asking['answer'] {
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
        const askedAtMs = performance.now();
        assertInTime(waiting.untilMs, askedAtMs);
        const known = this.copies.peek(apiKeyIndex);
        const question = span.call('policy.resolve');
        const { traceparent } = question;
        const origin = { requestId, traceparent };
        const said = await question.until(this.client.resolve({ chainId, apiKeyIndex, otherIndexes }, origin, known));
        const policy = said?.policy === 'unchanged' ? known : said?.policy;
        if (!said || !policy) break;
        const { lasting } = said;
        if (policy.version >= (this.floors.get(policy.paymasterId) ?? 0)) return { policy, lasting, askedAtMs };
        if (attempt === ATTEMPTS) {
          throw new DependencyUnavailableError('dashboard', 'The policy service answers with an outdated policy.');
        }
      }
    }
    return undefined;
  }

  private keep(index: string, { policy, lasting, askedAtMs }: Answer): LoadedPolicy | Copy {
    this.raiseFloor(policy.paymasterId, policy.version);
    let kept: LoadedPolicy | Copy = policy as Copy;
    if ('text' in policy) this.copies.confirm(index, policy, askedAtMs);
    else kept = this.copies.keep(index, policy, askedAtMs);
    const copy = this.copies.peek(index);
    if (copy) copy.lasting = lasting;
    return kept;
  }

  private raiseFloor(paymasterId: string, version: number): void {
    if (version >= (this.floors.get(paymasterId) ?? 0)) this.floors.set(paymasterId, version);
  }

  private hasUsableCopy(): boolean {
    const nowMs = performance.now();
    const oldestMs = nowMs - this.config.policyMaxStalenessSeconds * 1_000;
    for (const copy of this.copies.values()) if (this.news.confirmedAtMs(copy, nowMs) >= oldestMs) return true;
    return false;
  }
}

function questionOf({ apiKeyIndex, chainIds }: ResolveRequest): string {
  return `${apiKeyIndex}:${chainIds.join()}`;
}
