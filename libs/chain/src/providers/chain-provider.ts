import { DependencyUnavailableError, type Address, type Hex } from '@paymaster/domain';
import type { ChainConfig } from '../chains/chain-config';
import { parseBytes, parseQuantity, toWord, UnexpectedAnswerError } from '../json-rpc/parse';
import { parseAccessList, type TouchedSlot } from './access-list';
import { parseBlock, type Block } from './block';
import { ChainEndpoint, WrongChainError } from './chain-endpoint';
import { DEFAULT_CIRCUIT_BREAKER, type CircuitBreakerSettings } from './circuit-breaker';
import {
  CallRevertedError,
  isMethodUnknown,
  isRevert,
  MethodUnsupportedError,
  toWireCall,
  type EthCall,
} from './eth-call';
import { parseLogs, toWireFilter, type Log, type LogFilter } from './log';
import { monotonicClock, type MonotonicClock } from './monotonic-clock';
import {
  refusesOverrides,
  StateOverridesUnsupportedError,
  toWireOverrides,
  type StateOverrides,
} from './state-overrides';

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
   * `eth_call` against the latest block, on a state that differs from it as `overrides` says.
   *
   * @throws {CallRevertedError} when the contract refuses
   * @throws {StateOverridesUnsupportedError} when overrides are given and every URL says that it does not know them.
   *   Some nodes don't say so and leave them out: see {@link supportsStateOverrides}.
   * @throws {DependencyUnavailableError} `chain`, when no URL gave a usable answer
   */
  ethCall<T>(call: EthCall, parse: (returned: unknown) => T, overrides?: StateOverrides): Promise<T> {
    if (!overrides) return this.ask('eth_call', [toWireCall(call), 'latest'], parse);
    return this.ask('eth_call', [toWireCall(call), 'latest', toWireOverrides(overrides)], parse, (error) =>
      refusesOverrides(error) ? new StateOverridesUnsupportedError(this.chain.chainId, { cause: error }) : undefined,
    );
  }

  /**
   * Events of contracts, in the order of the chain.
   *
   * @throws {DependencyUnavailableError} `chain`, when no URL gave a usable answer; many nodes bound the range
   */
  logs(filter: LogFilter): Promise<readonly Log[]> {
    return this.ask('eth_getLogs', [toWireFilter(filter)], (value) => parseLogs(value, filter));
  }

  /**
   * The storage slots that a call reads or writes (`eth_createAccessList`).
   *
   * @throws {CallRevertedError} when the contract refuses
   * @throws {MethodUnsupportedError} when no node has the method
   * @throws {DependencyUnavailableError} `chain`, when no URL gave a usable answer
   */
  touchedSlots(call: EthCall): Promise<readonly TouchedSlot[]> {
    const method = 'eth_createAccessList';
    return this.ask(method, [toWireCall(call), 'latest'], parseAccessList, (error) =>
      isMethodUnknown(error) ? new MethodUnsupportedError(method, { cause: error }) : undefined,
    );
  }

  /** A word of a contract's storage, in 0x and 64 digits. */
  storageAt({ address, slot }: TouchedSlot): Promise<Hex> {
    return this.ask('eth_getStorageAt', [address, slot, 'latest'], (value) =>
      toWord(parseQuantity(value, 'eth_getStorageAt')),
    );
  }

  /** How many transactions an account has sent, and EIP-7702 authorizations it has used: the nonce of its next one. */
  transactionCount(address: Address): Promise<bigint> {
    return this.ask('eth_getTransactionCount', [address, 'latest'], (value) =>
      parseQuantity(value, 'eth_getTransactionCount'),
    );
  }

  /** Deployed code of an account; `0x` when there is none. */
  code(address: Address): Promise<Hex> {
    return this.ask('eth_getCode', [address, 'latest'], (value) => parseBytes(value, 'eth_getCode'));
  }

  /**
   * One JSON-RPC call with failover. `parse` throws on an answer that is not what the method promises; the next
   * URL is then asked.
   *
   * @param unsupported makes the error of a node that can't do this out of its answer; thrown when none can
   */
  async ask<T>(
    method: string,
    params: readonly unknown[],
    parse: (value: unknown) => T,
    unsupported: (error: unknown) => Error | undefined = () => undefined,
  ): Promise<T> {
    const startedAt = this.clock();
    let attempts = 0;
    let lastFault: unknown;
    const unable = new Map<ChainEndpoint, Error>();
    for (const endpoint of this.endpointsInTurn()) {
      const leftMs = this.settings.totalTimeoutMs - (this.clock() - startedAt);
      if (attempts >= this.settings.maxAttempts || leftMs <= 0) break;
      if (endpoint.servesAnotherChain || unable.has(endpoint) || !endpoint.breaker.tryAcquire()) continue;
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
        const inability = unsupported(error);
        if (inability) {
          endpoint.breaker.succeeded();
          unable.set(endpoint, inability);
          continue;
        }
        lastFault = error;
        // A misconfigured URL must not eat the budget of those that work.
        if (error instanceof WrongChainError) attempts -= 1;
        else endpoint.breaker.failed();
        this.report(endpoint, error);
      }
    }
    const inabilities = [...unable.values()];
    if (inabilities[0] && this.endpoints.every((one) => one.servesAnotherChain || unable.has(one)))
      throw inabilities[0];
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
