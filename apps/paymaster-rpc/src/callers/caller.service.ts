import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { InvalidApiKeyError } from '@paymaster/domain';
import { apiKeyIndex, indexKeysOf, type IndexKeys } from '@paymaster/messaging';
import { userAsClient, type RateSharing } from '@paymaster/nest-kit';
import type { Span } from '@paymaster/tracing';
import { LRUCache } from 'lru-cache';
import { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import type { ServedChain } from '../chains/served-chain';
import { ServedChains } from '../chains/served-chains';
import type { LoadedPolicy } from '../snapshots/policy-copies';
import { PolicySnapshots, type ResolveRequest } from '../snapshots/policy-snapshots.service';
import { assertOriginAllowed } from './allowed-origins';
import type { Caller } from './caller';
import { CallerLimits, type ClientShare } from './caller-limits';
import { apiKeyOf, type Credentials } from './credentials';
import { askerOf, type Asker, type Forwarding, type Trust } from './forwarded-client';
import { assertKeyServes, hasExpired, keyExpired } from './key-grants';
import { ClientNames } from './client-names';
import { SESSION_HEADER, sessionMissing, SessionTokens, type Session } from './session-tokens';

/** Keys whose blind index is remembered, so that a busy key is not hashed for every request. */
const MAX_REMEMBERED_KEYS = 10_000;
const STRANGERS: Trust = { kind: undefined, servers: [] };

export interface IdentifyRequest extends Forwarding {
  readonly credentials: Credentials;
  readonly origin: string | undefined;
  readonly requestId: string;
  /** The number of entries of the batch: the weight of the request in the rate limit. */
  readonly weight: number;
  /** The span of the request, or of the entry of a batch that asks first. */
  readonly span: Span;
  /** As {@link Caller.deadlineMs}. */
  readonly deadlineMs: number;
  /** True for a browser's preflight, which is never refused for its origin or address. */
  readonly isPreflight?: true;
  /** Is told the paymaster as soon as the request counts for it, also where the request is refused afterwards. */
  readonly known?: { paymaster?: LoadedPolicy };
}

/** A key that was sent. */
interface SentKey {
  readonly index: string;
  /** Under the other live index keys; undefined unless the index key is being replaced. */
  readonly otherIndexes: readonly string[] | undefined;
  /**
   * Where it counts in the rate limit: by its paymaster, whose keys share one limit; by the key's own index while its
   * paymaster is not known.
   */
  payer: string;
  /**
   * The part of that limit that one client may use, as its owner last set it; undefined while its paymaster is not
   * known.
   */
  sharePercent: number | undefined;
  /**
   * What the owner set for requests with this key, as last heard. While its paymaster is not known, all of them count
   * as requests of strangers.
   */
  trust: Trust;
  /** Whether it was the key of a paymaster at the last look-up. */
  good: boolean;
}

/** Finds out whose paymaster a request is for. */
@Injectable()
export class CallerService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly sentKeys = new LRUCache<string, SentKey>({ max: MAX_REMEMBERED_KEYS });
  private readonly limits: CallerLimits;
  private readonly sessions: SessionTokens;
  private readonly indexKeys: IndexKeys;
  private readonly names: ClientNames;

  constructor(
    config: PaymasterRpcConfig,
    private readonly chains: ServedChains,
    private readonly snapshots: PolicySnapshots,
  ) {
    this.limits = new CallerLimits(config);
    this.names = new ClientNames(config.apiKeyIndexKey);
    this.sessions = new SessionTokens(this.names);
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
   * @throws {RateLimitedError} when the key sends too much, the client has used its share of that, or its network sends
   *   too many unknown keys
   * @throws {SessionTokenError} when the session token is wrong, or missing although the key needs a token
   * @throws {ApiKeyExpiredError} when the key's owner gave it an end that has passed
   * @throws {SponsorshipRefusedError} when the page's origin, or the network of a named key, is not allowed
   * @throws {DependencyUnavailableError} when the key cannot be looked up
   */
  async identify(request: IdentifyRequest): Promise<Caller> {
    const { credentials, origin, requestId, clientAddress, weight, span, deadlineMs } = request;
    const { named, key } = this.addressed(credentials, clientAddress);
    const isGuess = !key.good;
    if (isGuess) this.limits.takeForGuess(clientAddress);
    const { payer } = key;
    this.limits.take(payer, weight, shareOf(sharerOf(request, key.trust, payer), key.sharePercent));
    const chainIds = named ? [named.config.chainId] : this.chains.ids;
    const question = { apiKeyIndex: key.index, otherIndexes: key.otherIndexes, chainIds, requestId, span, deadlineMs };
    const paymaster = isGuess
      ? await this.resolveGuess(key, question, clientAddress)
      : await this.snapshots.resolve(question);
    if (!paymaster) {
      key.good = false;
      paysForItself(key);
      throw new InvalidApiKeyError(`The API key is unknown${named ? ` on chain ${named.config.chainId}` : ''}.`);
    }
    const { chainId, settings, paymasterId, key: grant } = paymaster.snapshot;
    const { clientSharePercent: percent } = settings.liveSignatureCaps;
    if (grant !== null && !request.isPreflight && hasExpired(grant)) {
      paysForItself(key);
      throw keyExpired();
    }
    key.trust = { kind: grant?.kind, servers: settings.servers };
    const asker = askerOf(request, key.trust, paymasterId);
    if (payer !== paymasterId) {
      this.limits.charge(paymasterId, { insteadOf: payer, weight, share: shareOf(asker, percent) });
      key.payer = paymasterId;
    }
    key.sharePercent = percent;
    if (request.known) request.known.paymaster = paymaster;
    if (named && named.config.chainId !== chainId) {
      throw new InvalidApiKeyError(
        `The API key is for chain ${chainId}, but the address names chain ${named.config.chainId}.`,
        { keyChainId: chainId, addressChainId: named.config.chainId },
      );
    }
    if (!request.isPreflight) {
      assertOriginAllowed(origin, settings.allowedOrigins);
      if (grant !== null) assertKeyServes(grant, request);
    }
    const token = request.isPreflight ? undefined : request.headers?.[SESSION_HEADER];
    let session: Session | undefined;
    if (token !== undefined) session = await this.sessions.verify(token, paymaster.snapshot);
    else if (grant?.sessionRequired && !request.isPreflight) throw sessionMissing();
    const { clientAddress: client, isUncounted } = withSession(asker, session);
    return {
      requestId,
      chain: named ?? this.chains.get(chainId),
      paymaster,
      policyQuestion: question,
      clientAddress: client,
      strangerNetwork: isUncounted ? undefined : this.names.of(client).site,
      proxyAddress: client === clientAddress ? undefined : clientAddress,
      isBiconomysAddress: credentials.isBiconomysAddress ?? false,
      session,
      deadlineMs,
      span,
    };
  }

  /**
   * Looks up a key that this process does not know. What its network paid for that is given back unless the key is
   * unknown.
   */
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

  /**
   * Limits what no key pays for: methods that need no key, requests without a key, and bodies that are no request.
   *
   * @param weight the number of small answers that its answer counts for
   * @throws {RateLimitedError} when too much of it comes from the client's address
   */
  assertMayAskWithoutKey(clientAddress: string | undefined, weight = 1): void {
    this.limits.takeKeyless(clientAddress, weight);
  }

  /** The chain that is named, and the key that was sent. @throws {InvalidApiKeyError} {@link RateLimitedError} */
  private addressed(
    credentials: Credentials,
    clientAddress: string | undefined,
  ): { named: ServedChain | undefined; key: SentKey } {
    try {
      const named = credentials.chainId === undefined ? undefined : this.chains.named(credentials.chainId);
      return { named, key: this.keyOf(apiKeyOf(credentials)) };
    } catch (error) {
      this.limits.takeForGuess(clientAddress);
      throw error;
    }
  }

  private keyOf(apiKey: string): SentKey {
    const known = this.sentKeys.get(apiKey);
    if (known !== undefined) return known;
    const [current, ...others] = this.indexKeys;
    const index = apiKeyIndex(apiKey, current);
    const otherIndexes = others.length === 0 ? undefined : others.map((other) => apiKeyIndex(apiKey, other));
    const key: SentKey = { index, otherIndexes, payer: index, sharePercent: undefined, trust: STRANGERS, good: false };
    this.sentKeys.set(apiKey, key);
    return key;
  }
}

/** From now on the ended key counts by itself, so that its clients use up nothing of the paymaster's limit. */
function paysForItself(key: SentKey): void {
  key.payer = key.index;
  key.sharePercent = undefined;
  key.trust = STRANGERS;
}

/**
 * The client in whose share a request counts. If its headers are wrong, the request is refused later, and counts for
 * its address.
 */
function sharerOf(request: IdentifyRequest, trust: Trust, paymasterId: string): Asker {
  try {
    return askerOf(request, trust, paymasterId);
  } catch {
    return { clientAddress: request.clientAddress, isUncounted: false };
  }
}

function shareOf({ clientAddress, isUncounted }: Asker, percent: number | undefined): ClientShare {
  return { clientAddress, percent: isUncounted ? 100 : percent };
}

/** In requests of the owner's servers, a session token names the user too. */
function withSession(asker: Asker, session: Session | undefined): Asker {
  if (!asker.isUncounted || !session) return asker;
  return { clientAddress: userAsClient(session.user), isUncounted: false };
}
