import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { InvalidApiKeyError } from '@paymaster/domain';
import { apiKeyIndex, indexKeysOf, type IndexKeys } from '@paymaster/messaging';
import type { RateSharing } from '@paymaster/nest-kit';
import type { Span } from '@paymaster/tracing';
import { LRUCache } from 'lru-cache';
import { PaymasterRpcConfig } from '../config/paymaster-rpc.config';
import { ServedChains } from '../chains/served-chains';
import type { LoadedPolicy } from '../policy-snapshots/loaded-policy';
import { PolicySnapshots, type ResolveRequest } from '../policy-snapshots/policy-snapshots.service';
import { assertOriginAllowed } from './allowed-origins';
import type { Caller } from './caller';
import { CallerLimits } from './caller-limits';
import { apiKeyOf, type Credentials } from './credentials';

/** Keys whose blind index is remembered, so that a busy key is not hashed for every request. */
const MAX_REMEMBERED_KEYS = 10_000;

export interface IdentifyRequest {
  readonly credentials: Credentials;
  readonly origin: string | undefined;
  readonly requestId: string;
  readonly clientAddress: string | undefined;
  /** Entries of the batch: what the request weighs in the rate limit. */
  readonly weight: number;
  /** What it is for. */
  readonly span: Span;
  /** As {@link Caller.deadlineMs}. */
  readonly deadlineMs: number;
}

/** A key that was sent. */
interface SentKey {
  readonly index: string;
  /** Under the other live index keys; undefined unless the index key is being replaced. */
  readonly otherIndexes: readonly string[] | undefined;
  /** Whose rate limit it counts in: its paymaster's, whose keys share one; its own while nobody knows whose it is. */
  payer: string;
  /** Whether it was a paymaster's when it was last looked for. */
  good: boolean;
}

/** Finds out whose paymaster a request is for. */
@Injectable()
export class CallerService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly sentKeys = new LRUCache<string, SentKey>({ max: MAX_REMEMBERED_KEYS });
  private readonly limits: CallerLimits;
  private readonly indexKeys: IndexKeys;

  constructor(
    config: PaymasterRpcConfig,
    private readonly chains: ServedChains,
    private readonly snapshots: PolicySnapshots,
  ) {
    this.limits = new CallerLimits(config);
    this.indexKeys = indexKeysOf(config);
  }

  /** How rate limits are shared with the other gateways, for metrics; undefined without limits. */
  get rateSharing(): RateSharing | undefined {
    return this.limits.sharing;
  }

  onApplicationBootstrap(): void {
    this.limits.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.limits.close();
  }

  /**
   * @throws {InvalidApiKeyError} when the key is missing, unknown, or of another chain, or the chain is not served
   * @throws {RateLimitedError} when the key sends too much, or the client's network too many keys that nobody knows
   * @throws {SponsorshipRefusedError} when the page's origin is not allowed
   * @throws {DependencyUnavailableError} when nobody can say whose key it is
   */
  async identify(request: IdentifyRequest): Promise<Caller> {
    const { credentials, origin, requestId, clientAddress, weight, span, deadlineMs } = request;
    const named = credentials.chainId === undefined ? undefined : this.chains.named(credentials.chainId);
    const key = this.keyOf(credentials, clientAddress);
    const isGuess = !key.good;
    if (isGuess) this.limits.takeForGuess(clientAddress);
    const { payer } = key;
    this.limits.take(payer, weight);
    const chainIds = named ? [named.config.chainId] : this.chains.ids;
    const question = { apiKeyIndex: key.index, otherIndexes: key.otherIndexes, chainIds, requestId, span, deadlineMs };
    const paymaster = isGuess
      ? await this.resolveGuess(key, question, clientAddress)
      : await this.snapshots.resolve(question);
    if (!paymaster) {
      key.good = false;
      // Whoever has a key that has ended uses up nothing of the paymaster.
      key.payer = key.index;
      throw new InvalidApiKeyError(`The API key is unknown${named ? ` on chain ${named.config.chainId}` : ''}.`);
    }
    const { chainId, settings, paymasterId } = paymaster.snapshot;
    if (payer !== paymasterId) {
      this.limits.charge(paymasterId, { insteadOf: payer, weight });
      key.payer = paymasterId;
    }
    if (named && named.config.chainId !== chainId) {
      throw new InvalidApiKeyError(
        `The API key is for chain ${chainId}, but the address names chain ${named.config.chainId}.`,
        { keyChainId: chainId, addressChainId: named.config.chainId },
      );
    }
    assertOriginAllowed(origin, settings.allowedOrigins);
    return { requestId, chain: named ?? this.chains.get(chainId), paymaster, clientAddress, deadlineMs, span };
  }

  /** The way of a key's first request: what its network paid is given back unless nobody knows the key. */
  private async resolveGuess(
    key: SentKey,
    question: ResolveRequest,
    clientAddress: string | undefined,
  ): Promise<LoadedPolicy | undefined> {
    let isUnknown = false;
    try {
      const paymaster = await this.snapshots.resolve(question);
      isUnknown = paymaster === undefined;
      key.good = !isUnknown;
      return paymaster;
    } finally {
      if (!isUnknown) this.limits.giveBackGuess(clientAddress);
    }
  }

  /** @throws {InvalidApiKeyError} {@link RateLimitedError} */
  private keyOf(credentials: Credentials, clientAddress: string | undefined): SentKey {
    let apiKey: string;
    try {
      apiKey = apiKeyOf(credentials);
    } catch (error) {
      this.limits.takeForGuess(clientAddress);
      throw error;
    }
    const known = this.sentKeys.get(apiKey);
    if (known !== undefined) return known;
    const [current, ...others] = this.indexKeys;
    const index = apiKeyIndex(apiKey, current);
    const otherIndexes = others.length === 0 ? undefined : others.map((other) => apiKeyIndex(apiKey, other));
    const key = { index, otherIndexes, payer: index, good: false };
    this.sentKeys.set(apiKey, key);
    return key;
  }
}
