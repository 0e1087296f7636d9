import { DependencyUnavailableError, type Address, type Hex } from '@paymaster/domain';
import type { ChainConfig } from '../chains/chain-config';
import { JsonRpcResponseError } from '../json-rpc/json-rpc-errors';
import { parseBytes, parseQuantity, parseRecord, UnexpectedAnswerError } from '../json-rpc/parse';
import { ChainEndpoint, WrongChainError } from './chain-endpoint';
import { DEFAULT_CIRCUIT_BREAKER, type CircuitBreakerSettings } from './circuit-breaker';
import { monotonicClock, type MonotonicClock } from './monotonic-clock';

/** Limits of one call; the defaults keep a whole gateway request within its 5 s. */
export interface ChainProviderSettings {
  /** Wait for one answer of one URL. */
  readonly callTimeoutMs: number;
  /** Attempts of one call over all URLs: the whole retry budget. */
  readonly maxAttempts: number;
  /** No new attempt starts after this. */
  readonly totalTimeoutMs: number;
  readonly breaker: CircuitBreakerSettings;
}

export const DEFAULT_CHAIN_PROVIDER_SETTINGS: ChainProviderSettings = {
  callTimeoutMs: 2_000,
  maxAttempts: 3,
  totalTimeoutMs: 4_000,
  breaker: DEFAULT_CIRCUIT_BREAKER,
};

/** A block as far as this platform reads it. */
export interface Block {
  readonly number: bigint;
  /** Unix seconds. */
  readonly timestampSeconds: number;
  /** Wei per gas; zero on chains without EIP-1559. */
  readonly baseFeePerGasWei: bigint;
}

/** The chain itself refused the call: every node would say the same, so no other one is asked. */
export class CallRevertedError extends Error {
  constructor(
    message: string,
    readonly data: unknown,
  ) {
    super(message);
    this.name = 'CallRevertedError';
  }
}

/** How one URL does; for readiness and metrics. */
export interface EndpointStatus {
  readonly host: string;
  readonly state: 'usable' | 'open' | 'wrongChain';
}

/**
 * Reads a chain through several URLs, in the order of the configuration: the next one is asked when one hangs,
 * fails or answers nonsense. A URL that serves another chain is never used. Answers are parsed, never trusted.
 */
export class ChainProvider {
  private readonly endpoints: readonly ChainEndpoint[];
  private readonly settings: ChainProviderSettings;
  private readonly clock: MonotonicClock;
  private readonly onFault: (error: Error) => void;

  constructor(
    readonly chain: Pick<ChainConfig, 'chainId' | 'rpcUrls'>,
    options: Partial<ChainProviderSettings> & {
      clock?: MonotonicClock;
      /** Hears every failed attempt and every URL of a wrong chain; a place for a log line, hosts only. */
      onFault?: (error: Error) => void;
    } = {},
  ) {
    const { clock = monotonicClock, onFault = () => undefined, ...settings } = options;
    this.settings = { ...DEFAULT_CHAIN_PROVIDER_SETTINGS, ...settings };
    this.clock = clock;
    this.onFault = onFault;
    this.endpoints = chain.rpcUrls.map((url) => new ChainEndpoint(url, chain.chainId, clock, this.settings.breaker));
  }

  status(): readonly EndpointStatus[] {
    return this.endpoints.map((endpoint) => ({
      host: endpoint.host,
      state: endpoint.servesAnotherChain ? 'wrongChain' : endpoint.breaker.isOpen ? 'open' : 'usable',
    }));
  }

  /**
   * A block.
   *
   * @param assertPlausible throws on a block that cannot be true; the next URL is then asked
   * @throws {DependencyUnavailableError} `chain`, when no URL gave a usable block
   */
  block(tag: 'latest' | 'pending', assertPlausible: (block: Block) => void = () => undefined): Promise<Block> {
    return this.ask('eth_getBlockByNumber', [tag, false], (value) => {
      const block = parseBlock(value);
      assertPlausible(block);
      return block;
    });
  }

  /**
   * `eth_call` against the latest block.
   *
   * @throws {CallRevertedError} when the contract refuses
   * @throws {DependencyUnavailableError} `chain`, when no URL gave a usable answer
   */
  ethCall<T>(call: { to: Address; data: Hex }, parse: (returned: unknown) => T): Promise<T> {
    return this.ask('eth_call', [call, 'latest'], parse);
  }

  /** Deployed code of an account; `0x` when there is none. */
  code(address: Address): Promise<Hex> {
    return this.ask('eth_getCode', [address, 'latest'], (value) => parseBytes(value, 'eth_getCode'));
  }

  /**
   * One JSON-RPC call with failover. `parse` throws on an answer that is not what the method promises; the next
   * URL is then asked.
   */
  async ask<T>(method: string, params: readonly unknown[], parse: (value: unknown) => T): Promise<T> {
    const startedAt = this.clock();
    let attempts = 0;
    let lastFault: unknown;
    for (const endpoint of this.endpointsInTurn()) {
      const leftMs = this.settings.totalTimeoutMs - (this.clock() - startedAt);
      if (attempts >= this.settings.maxAttempts || leftMs <= 0) break;
      if (endpoint.servesAnotherChain || !endpoint.breaker.tryAcquire()) continue;
      attempts += 1;
      try {
        const value = parse(await endpoint.call(method, params, Math.min(this.settings.callTimeoutMs, leftMs)));
        endpoint.breaker.succeeded();
        return value;
      } catch (error) {
        if (isRevert(error)) {
          endpoint.breaker.succeeded();
          throw new CallRevertedError(error.rpcMessage, error.data);
        }
        lastFault = error;
        // A misconfigured URL must not eat the budget of those that work.
        if (error instanceof WrongChainError) attempts -= 1;
        else endpoint.breaker.failed();
        this.report(endpoint, error);
      }
    }
    throw new DependencyUnavailableError('chain', `chain ${this.chain.chainId} cannot be read at the moment`, {
      cause: lastFault,
    });
  }

  /** Every URL once, in order; then once more, for what is left of the budget. */
  private *endpointsInTurn(): Generator<ChainEndpoint> {
    yield* this.endpoints;
    yield* this.endpoints;
  }

  private report(endpoint: ChainEndpoint, error: unknown): void {
    this.onFault(
      error instanceof UnexpectedAnswerError
        ? new Error(`${endpoint.host}: ${error.message}`, { cause: error })
        : error instanceof Error
          ? error
          : new Error(String(error)),
    );
  }
}

/** Code 3 is geth's and anvil's "execution reverted"; others only say so in words. */
function isRevert(error: unknown): error is JsonRpcResponseError {
  return error instanceof JsonRpcResponseError && (error.code === 3 || /revert/i.test(error.rpcMessage));
}

function parseBlock(value: unknown): Block {
  const block = parseRecord(value, 'block');
  const timestamp = parseQuantity(block['timestamp'], 'block.timestamp');
  if (timestamp > BigInt(Number.MAX_SAFE_INTEGER)) throw new UnexpectedAnswerError('block.timestamp');
  return {
    number: parseQuantity(block['number'], 'block.number'),
    timestampSeconds: Number(timestamp),
    baseFeePerGasWei:
      block['baseFeePerGas'] === undefined ? 0n : parseQuantity(block['baseFeePerGas'], 'block.baseFeePerGas'),
  };
}
