import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from '@paymaster/domain';
import {
  DEFAULT_CIRCUIT_BREAKER,
  monotonicClock,
  NO_DEADLINE,
  type CircuitBreakerSettings,
  type MonotonicClock,
} from '@paymaster/turns';
import type { ChainConfig } from '../chains/chain-config';
import { parseBytes, toQuantity, UnexpectedAnswerError } from '../json-rpc/parse';
import {
  agree,
  callOne,
  pauseAfter,
  type AgreedRead,
  type AgreementContext,
  type AgreementSettings,
} from './agreement';
import { parseBlock, type Block } from './block';
import { headerKey, parseBlockHeader, UNKNOWN_BLOCK, type BlockHeader } from './block-header';
import { ChainEndpoint } from './chain-endpoint';
import { CallRevertedError, isRevert, toWireCall, type EthCall } from './eth-call';
import { NotAgreedError } from './not-agreed.error';
import { RankedEndpoint, type ProviderStatus } from './ranked-endpoint';

export const DEFAULT_AGREEMENT_SETTINGS: AgreementSettings = {
  callTimeoutMs: 2_000,
  hedgeMs: 500,
  totalTimeoutMs: 4_000,
  maxAttempts: 2,
  retryAfterMs: 200,
};

/** A provider that is behind the head by more than one of these bounds is asked last. */
const MAX_LAG_BLOCKS = 2n;
const MAX_LAG_SECONDS = 12;
/** Blocks below the head that may be disputed while they are new. */
const MAX_DISPUTED_BLOCKS = 3;

export interface AgreedChainOptions extends Partial<AgreementSettings> {
  readonly breaker?: CircuitBreakerSettings;
  readonly clock?: MonotonicClock;
  /** Called for every failed call, every contradiction and every URL of a wrong chain; hosts only. Log it. */
  readonly onFault?: (error: Error) => void;
}

/**
 * Several providers of one chain, of which more than half must say the same: one of one, two of two, two of three. So
 * no money moves because of the answer of a single provider among several. A provider that hangs, fails, lags, serves
 * another chain or contradicts the others only costs time; when too few agree, calls throw.
 */
export class AgreedChain {
  /** The number of providers that must agree. */
  readonly needed: number;
  readonly chainId: number;
  private readonly providers: readonly RankedEndpoint[];
  private readonly settings: AgreementSettings;
  private readonly clock: MonotonicClock;
  private readonly onFault: (error: Error) => void;

  constructor(
    private readonly chain: Pick<ChainConfig, 'chainId' | 'rpcUrls' | 'finality'>,
    options: AgreedChainOptions = {},
  ) {
    const {
      clock = monotonicClock,
      onFault = () => undefined,
      breaker = DEFAULT_CIRCUIT_BREAKER,
      ...settings
    } = options;
    this.settings = { ...DEFAULT_AGREEMENT_SETTINGS, ...settings };
    this.clock = clock;
    this.onFault = onFault;
    this.chainId = chain.chainId;
    // A URL that is listed twice must not agree with itself.
    this.providers = [...new Set(chain.rpcUrls)].map(
      (url) => new RankedEndpoint(new ChainEndpoint(url, chain.chainId, clock, breaker), clock),
    );
    this.needed = Math.floor(this.providers.length / 2) + 1;
  }

  get providerCount(): number {
    return this.providers.length;
  }

  status(): readonly ProviderStatus[] {
    return this.providers.map((provider) => provider.status());
  }

  /**
   * The highest block that enough providers know, by its hash. It may be lower than the last one: after a reorg, or
   * when providers that were ahead are gone.
   *
   * @throws {DependencyUnavailableError} `chain`
   */
  async head(): Promise<BlockHeader> {
    const head = await this.highest('latest');
    for (const provider of this.providers) provider.isLagging = isBehind(provider.head, head);
    return head;
  }

  /**
   * The newest block that will not be undone, by the chain's `finality`.
   *
   * @throws {DependencyUnavailableError} `chain`
   */
  async final(): Promise<BlockHeader> {
    const { finality } = this.chain;
    if ('tag' in finality) return this.highest(finality.tag);
    const head = await this.head();
    const depth = BigInt(finality.depth);
    return this.known(head.number > depth ? head.number - depth : 0n);
  }

  /**
   * A block by its number or hash; undefined when enough providers say that they have no such block.
   *
   * @throws {DependencyUnavailableError} `chain`
   */
  header(block: bigint | Hex): Promise<BlockHeader | undefined> {
    const byNumber = typeof block === 'bigint';
    return this.read({
      method: byNumber ? 'eth_getBlockByNumber' : 'eth_getBlockByHash',
      params: [byNumber ? toQuantity(block) : block, false],
      parse: (value) => {
        const header = parseBlockHeader(value);
        if (header && (byNumber ? header.number : header.hash) !== (byNumber ? block : block.toLowerCase()))
          throw new UnexpectedAnswerError('block', 'is not the one that was asked for');
        return header;
      },
      key: headerKey,
      laggingKey: UNKNOWN_BLOCK,
    });
  }

  /**
   * `eth_call` on the state after a block.
   *
   * @throws {CallRevertedError} when the contract refuses, as enough providers say
   * @throws {DependencyUnavailableError} `chain`
   */
  async callAt(blockHash: Hex, call: EthCall): Promise<Hex> {
    const answer = await this.read<Hex | CallRevertedError>({
      method: 'eth_call',
      params: [toWireCall(call), { blockHash }],
      parse: (value) => parseBytes(value, 'eth_call').toLowerCase() as Hex,
      key: (value) => (typeof value === 'string' ? value : 'reverted'),
      fromError: (error) => (isRevert(error) ? new CallRevertedError(error.rpcMessage, error.data) : undefined),
    });
    if (typeof answer !== 'string') throw answer;
    return answer;
  }

  /**
   * The time of the next block; unix seconds. Each provider builds its own next block, so this is the latest time that
   * enough providers have reached.
   *
   * @param assertPlausible throws on a block that cannot be true; its provider then counts as not having answered
   * @throws {DependencyUnavailableError} `chain`
   */
  async pending(assertPlausible: (block: Block) => void): Promise<Block> {
    const named = await this.askAll({
      method: 'eth_getBlockByNumber',
      params: ['pending', false],
      parse: (value) => {
        const block = parseBlock(value);
        assertPlausible(block);
        return block;
      },
      key: () => '',
    });
    named.sort((a, b) => b.value.timestampSeconds - a.value.timestampSeconds);
    const reached = named[this.needed - 1];
    if (!reached) throw this.tooFewName('pending', named.length);
    return reached.value;
  }

  /**
   * One JSON-RPC call on which enough providers must agree.
   *
   * @param deadlineMs of the request that asks, by the monotonic clock
   * @throws {NotAgreedError}
   * @throws {RequestTimedOutError} when the deadline came first
   */
  read<T>(read: AgreedRead<T>, deadlineMs?: number): Promise<T> {
    return agree(this.context(deadlineMs), read);
  }

  /** The highest block that enough providers reach, under a tag that moves while they are asked. */
  private async highest(tag: 'latest' | 'finalized'): Promise<BlockHeader> {
    const answers = await this.askAll({
      method: 'eth_getBlockByNumber',
      params: [tag, false],
      parse: parseBlockHeader,
      key: headerKey,
    });
    const named = answers.flatMap(({ from, value }) => {
      if (value && tag === 'latest') from.head = value;
      return value ?? [];
    });
    named.sort((a, b) => Number(b.number - a.number));
    const reached = named[this.needed - 1];
    if (!reached) throw this.tooFewName(tag, named.length);
    const same = named.filter((header) => headerKey(header) === headerKey(reached));
    return same.length >= this.needed ? reached : this.known(reached.number);
  }

  /** The block of that number; while providers dispute it, its last ancestor that they share. */
  private async known(number: bigint): Promise<BlockHeader> {
    for (let disputed = 0; ; disputed += 1) {
      try {
        const header = await this.header(number - BigInt(disputed));
        if (header) return header;
      } catch (error) {
        if (disputed >= MAX_DISPUTED_BLOCKS || !(error instanceof NotAgreedError) || error.answers < 2) throw error;
      }
      if (disputed >= MAX_DISPUTED_BLOCKS || number <= BigInt(disputed))
        throw new NotAgreedError(`chain ${this.chainId}: the providers do not know block ${number}`, [], 0);
    }
  }

  private tooFewName(tag: string, count: number): NotAgreedError {
    const { chainId, needed, providers } = this;
    const message = `chain ${chainId}: ${count} of ${providers.length} providers name a ${tag} block, ${needed} are needed`;
    return new NotAgreedError(message, [], count);
  }

  /**
   * The answers of every provider. While too few have answered, providers with a passing fault are asked again. Once
   * enough have answered, calls under way get a moment more.
   */
  private async askAll<T>(read: AgreedRead<T>): Promise<Array<{ from: RankedEndpoint; value: T }>> {
    const context = this.context();
    const endsAtMs = this.clock() + this.settings.totalTimeoutMs;
    const answers: Array<{ from: RankedEndpoint; value: T }> = [];
    const isEnough = () => answers.length >= this.needed;
    let running = 0;
    await new Promise<void>((resolve) => {
      const ask = async (ranked: RankedEndpoint): Promise<void> => {
        for (let attempt = 1; attempt === 1 || !isEnough(); attempt += 1) {
          running += 1;
          let pauseMs: number | undefined;
          try {
            answers.push({ from: ranked, value: await callOne({ context, ranked, read }) });
            if (answers.length === this.needed) setTimeout(resolve, this.settings.hedgeMs).unref();
          } catch (error) {
            pauseMs = pauseAfter(error, { ...this.settings, attempt });
          }
          running -= 1;
          if (isEnough() && running === 0) resolve();
          if (pauseMs === undefined || this.clock() + pauseMs > endsAtMs) return;
          await sleep(pauseMs);
        }
      };
      void Promise.all(context.endpoints.map(ask)).then(() => resolve());
    });
    return [...answers];
  }

  private context(deadlineMs = NO_DEADLINE): AgreementContext {
    const { chainId, clock, needed, onFault, settings } = this;
    const endpoints = [...this.providers].sort((a, b) => a.rank - b.rank);
    return { ...settings, chainId, clock, deadlineMs, needed, onFault, endpoints };
  }
}

function isBehind(own: BlockHeader | null, head: BlockHeader): boolean {
  if (!own || own.number >= head.number) return false;
  return head.number - own.number > MAX_LAG_BLOCKS || head.timeSeconds - own.timeSeconds > MAX_LAG_SECONDS;
}
