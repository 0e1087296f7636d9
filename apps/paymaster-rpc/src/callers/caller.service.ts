import { Injectable } from '@nestjs/common';
import { InvalidApiKeyError } from '@paymaster/domain';
import { apiKeyIndex } from '@paymaster/messaging';
import type { Span } from '@paymaster/tracing';
import { LRUCache } from 'lru-cache';
import { PaymasterRpcConfig } from '../config/paymaster-rpc.config';
import { ServedChains } from '../chains/served-chains';
import { PolicySnapshots } from '../policy-snapshots/policy-snapshots.service';
import { assertOriginAllowed } from './allowed-origins';
import type { Caller } from './caller';
import { apiKeyOf, type Credentials } from './credentials';
import { RateLimiter } from './rate-limiter';

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
}

/** Finds out whose paymaster a request is for. */
@Injectable()
export class CallerService {
  private readonly indexes = new LRUCache<string, string>({ max: MAX_REMEMBERED_KEYS });
  private readonly rateLimiter: RateLimiter;

  constructor(
    private readonly config: PaymasterRpcConfig,
    private readonly chains: ServedChains,
    private readonly snapshots: PolicySnapshots,
  ) {
    this.rateLimiter = new RateLimiter(config.rateLimitPerKeyPerSecond);
  }

  /**
   * @throws {InvalidApiKeyError} when the key is missing, unknown, or of another chain, or the chain is not served
   * @throws {RateLimitedError} when the key sends too much
   * @throws {SponsorshipRefusedError} when the page's origin is not allowed
   * @throws {DependencyUnavailableError} when nobody can say whose key it is
   */
  async identify(request: IdentifyRequest): Promise<Caller> {
    const { credentials, origin, requestId, clientAddress, weight, span } = request;
    const named = credentials.chainId === undefined ? undefined : this.chains.named(credentials.chainId);
    const index = this.indexOf(apiKeyOf(credentials));
    this.rateLimiter.take(index, weight);
    const chainIds = named ? [named.config.chainId] : this.chains.ids;
    const paymaster = await this.snapshots.resolve({ apiKeyIndex: index, chainIds, requestId, span });
    if (!paymaster) {
      throw new InvalidApiKeyError(`The API key is unknown${named ? ` on chain ${named.config.chainId}` : ''}.`);
    }
    const { chainId, settings } = paymaster.snapshot;
    if (named && named.config.chainId !== chainId) {
      throw new InvalidApiKeyError(
        `The API key is for chain ${chainId}, but the address names chain ${named.config.chainId}.`,
        { keyChainId: chainId, addressChainId: named.config.chainId },
      );
    }
    assertOriginAllowed(origin, settings.allowedOrigins);
    return { requestId, chain: named ?? this.chains.get(chainId), paymaster, clientAddress, span };
  }

  private indexOf(apiKey: string): string {
    const known = this.indexes.get(apiKey);
    if (known !== undefined) return known;
    const index = apiKeyIndex(apiKey, this.config.apiKeyIndexKey);
    this.indexes.set(apiKey, index);
    return index;
  }
}
