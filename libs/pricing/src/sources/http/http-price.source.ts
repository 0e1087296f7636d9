import type { PriceReference } from '@paymaster/domain';
import { CircuitBreaker, monotonicClock, type CircuitBreakerSettings, type MonotonicClock } from '@paymaster/turns';
import { parseUsdE36 } from '../../usd/usd-price';
import {
  distrust,
  outage,
  type PriceAnswer,
  type PriceProblem,
  type PriceRound,
  type PriceSource,
} from '../price-source';
import { httpGet, HttpGetError, type HttpAnswer } from './http-get';
import { OwnersBudget } from './owners-budget';
import { SimplePrices } from './simple-prices';
import { StampClock } from './stamp-clock';

export interface HttpPriceSourceOptions {
  /** The URL without `/simple/price`, for example `https://api.coingecko.com/api/v3`. */
  readonly baseUrl: string;
  /** Header that carries the API key, for example `x-cg-pro-api-key`. */
  readonly key?: { readonly header: string; readonly value: string } | undefined;
  readonly timeoutMs?: number;
  readonly maxAnswerBytes?: number;
  readonly idsPerRequest?: number;
  /** A price that is older than this by the API's own stamp is stale; a chain's own bound may be narrower. */
  readonly maxAgeSeconds?: number;
  /**
   * The most requests a minute for owners' ids; the rest of the API's rate limit is for the operator's ids. Default 10.
   */
  readonly ownersRequestsPerMinute?: number;
  readonly breaker?: CircuitBreakerSettings;
  readonly clock?: MonotonicClock;
}

const DEFAULTS = {
  timeoutMs: 2_500,
  maxAnswerBytes: 262_144,
  idsPerRequest: 50,
  maxAgeSeconds: 300,
  ownersRequestsPerMinute: 10,
  breaker: { failureThreshold: 4, openMs: 30_000 },
};

const NO_PRICE = 'the API has no price for this apiId';

/** Ids go into one URL with those of other tokens, so an id of unusual form is not sent at all. */
const API_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/**
 * A CoinGecko-compatible HTTP API. Many ids go into one request; the answer is bounded, parsed strictly and digit by
 * digit. It does not retry, because the next refresh is a retry. Owners' ids go in separate requests, which are limited
 * and have their own circuit breaker, so they never keep the operator's ids from being asked.
 */
export class HttpPriceSource implements PriceSource {
  /** Host and port, safe to log; the rest of the URL may hold a key. */
  readonly name: string;
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  private readonly settings: typeof DEFAULTS;
  private readonly breakers: Readonly<Record<PriceRound, CircuitBreaker>>;
  private readonly ownersBudget: OwnersBudget;
  private readonly stamps: StampClock;

  constructor({ baseUrl, key, clock = monotonicClock, ...settings }: HttpPriceSourceOptions) {
    this.#url = simplePriceUrl(baseUrl);
    this.#headers = key ? { [key.header]: key.value } : {};
    this.name = this.#url.host;
    this.settings = { ...DEFAULTS, ...settings };
    const { breaker, ownersRequestsPerMinute } = this.settings;
    this.breakers = { operator: new CircuitBreaker(breaker, clock), owners: new CircuitBreaker(breaker, clock) };
    this.ownersBudget = new OwnersBudget(ownersRequestsPerMinute, clock);
    this.stamps = new StampClock(clock);
  }

  covers(asset: PriceReference): boolean {
    return asset.apiId !== null;
  }

  async read(assets: readonly PriceReference[], round: PriceRound = 'operator'): Promise<readonly PriceAnswer[]> {
    const ids = [...new Set(assets.map(({ apiId }) => apiId ?? ''))];
    const askable = ids.filter((id) => API_ID.test(id));
    const batches = this.batches(askable, round);
    const answers = new Map((await Promise.all(batches.map((batch) => this.ask(batch, round)))).flat());
    return assets.map(({ apiId }) => answers.get(apiId ?? '') ?? this.notAsked(apiId ?? ''));
  }

  private batches(ids: readonly string[], round: PriceRound): string[][] {
    const { idsPerRequest } = this.settings;
    if (round === 'operator') return chunks(ids, idsPerRequest);
    return this.breakers.owners.isOpen ? [] : this.ownersBudget.batches(ids, idsPerRequest);
  }

  private notAsked(id: string): PriceProblem {
    if (!API_ID.test(id)) return outage('the API id is not one');
    return outage(`${this.name}: not asked, what owners name has used up its requests for now or failed several times`);
  }

  private async ask(ids: readonly string[], round: PriceRound): Promise<Array<[string, PriceAnswer]>> {
    const breaker = this.breakers[round];
    const failed = (problem: string) => {
      breaker.failed();
      return ids.map((id): [string, PriceAnswer] => [id, outage(`${this.name}: ${problem}`)]);
    };
    if (breaker.isOpen)
      return ids.map((id) => [id, outage(`${this.name}: not asked, it failed several times in a row`)]);
    try {
      const answer = await this.get(ids);
      if (answer.status !== 200) return failed(`HTTP ${answer.status}`);
      const prices = SimplePrices.parse(answer.body);
      if (!prices) return failed('the answer is not a JSON object');
      breaker.succeeded();
      return ids.map((id) => [id, this.price({ id, prices, serverSeconds: answer.serverSeconds })]);
    } catch (error) {
      return failed(error instanceof HttpGetError ? error.message : 'unexpected failure');
    }
  }

  private get(ids: readonly string[]): Promise<HttpAnswer> {
    const url = new URL(this.#url);
    url.searchParams.set('ids', ids.join(','));
    url.searchParams.set('vs_currencies', 'usd');
    url.searchParams.set('include_last_updated_at', 'true');
    const { timeoutMs, maxAnswerBytes } = this.settings;
    return httpGet({ url, headers: this.#headers, timeoutMs, maxAnswerBytes });
  }

  private price(input: { id: string; prices: SimplePrices; serverSeconds: number | undefined }): PriceAnswer {
    const { id, prices, serverSeconds } = input;
    const price = prices.of(id);
    const usdE36 = price && parseUsdE36(price.usdText);
    // The API answers, and may only lack the id for now: the last price stays good until it is too old.
    if (!price || usdE36 === undefined) return this.problem({ ...outage(NO_PRICE), fault: 'API_ID_UNKNOWN' }, id);
    if (serverSeconds === undefined) return this.problem(outage('the answer has no Date'), id);
    if (usdE36 <= 0n) return this.problem(distrust('NOT_POSITIVE', 'the price is not above zero'), id);
    const ageSeconds = this.stamps.ageSeconds({ id, stampSeconds: price.updatedAtSeconds, serverSeconds });
    if (ageSeconds === undefined) return this.problem(distrust('STALE', 'the price is dated in the future'), id);
    const { maxAgeSeconds } = this.settings;
    if (ageSeconds > maxAgeSeconds)
      return this.problem(distrust('STALE', `the price is older than ${maxAgeSeconds} s`), id);
    return { usdE36, ageSeconds, validForSeconds: Infinity };
  }

  private problem(problem: PriceProblem, id: string): PriceProblem {
    return { ...problem, message: `${this.name}, ${id}: ${problem.message}` };
  }
}

function simplePriceUrl(baseUrl: string): URL {
  if (!URL.canParse(baseUrl)) throw new TypeError('the base URL of the price API is not a URL');
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError('the base URL of the price API must start with https:// or http://');
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/simple/price`;
  return url;
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
