import { DependencyUnavailableError, type Address, type Hex } from '@paymaster/domain';
import {
  assertInTime,
  DEFAULT_CIRCUIT_BREAKER,
  monotonicClock,
  NO_DEADLINE,
  RetryBudget,
  type CircuitBreakerSettings,
  type MonotonicClock,
} from '@paymaster/turns';
import type { ChainConfig } from '../chains/chain-config';
import { isTimeout } from '../json-rpc/json-rpc-errors';
import { parseBytes, parseQuantity, toWord, UnexpectedAnswerError } from '../json-rpc/parse';
import { parseAccessList, type TouchedSlot } from './access-list';
import { askInTurn, type Said, type TurnSettings } from './ask-in-turn';
import { parseBlock, type Block } from './block';
import { ChainEndpoint, WrongChainError } from './chain-endpoint';
import {
  CallRevertedError,
  isMethodUnknown,
  isRevert,
  MethodUnsupportedError,
  toWireCall,
  type EthCall,
} from './eth-call';
import {
  refusesOverrides,
  StateOverridesUnsupportedError,
  toWireBlock,
  toWireOverrides,
  type BlockOverride,
  type StateOverrides,
} from './state-overrides';

/** Limits of one call; the defaults keep a whole gateway request within its 5 s. */
export interface ChainProviderSettings extends TurnSettings {
  readonly breaker: CircuitBreakerSettings;
}

export const DEFAULT_CHAIN_PROVIDER_SETTINGS: ChainProviderSettings = {
  callTimeoutMs: 2_000,
  hedgeMs: 400,
  maxAttempts: 3,
  totalTimeoutMs: 4_000,
  breaker: DEFAULT_CIRCUIT_BREAKER,
};

/** Node may fire a timer this much before its time, so a call that was ended at the deadline may end before it. */
const TIMER_EARLY_MS = 5;

/** The state of one URL; for readiness and metrics. */
export interface EndpointStatus {
  readonly host: string;
  readonly state: 'usable' | 'open' | 'wrongChain';
  /** Calls since the start. */
  readonly calls: { readonly answered: number; readonly failed: number };
}

/**
 * Reads a chain through several URLs, in the order of the configuration. It asks the next URL when one fails, answers
 * nonsense or is slow, and takes the first answer. It never uses a URL that serves another chain. It parses answers and
 * does not trust them.
 */
export class ChainProvider {
  private readonly endpoints: readonly ChainEndpoint[];
  private readonly settings: ChainProviderSettings;
  private readonly retries = new RetryBudget();
  private readonly clock: MonotonicClock;
  private readonly onFault: (error: Error) => void;

  constructor(
    readonly chain: Pick<ChainConfig, 'chainId' | 'rpcUrls'>,
    options: Partial<ChainProviderSettings> & {
      clock?: MonotonicClock;
      /** Called for every failed attempt and every URL of a wrong chain; hosts only. Log it. */
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
      calls: { ...endpoint.calls },
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
   * `eth_call` on the state of the latest block, changed by `overrides`.
   *
   * @param deadlineMs of the request that asks, by the monotonic clock
   * @param block in which the call is made; given with overrides only
   * @throws {CallRevertedError} when the contract refuses
   * @throws {StateOverridesUnsupportedError} when overrides are given and every URL says that it does not know them,
   *   or does not know the block that is given with them.
   *   Some nodes silently ignore overrides: see {@link supportsStateOverrides}.
   * @throws {DependencyUnavailableError} `chain`, when no URL gave a usable answer
   */
  ethCall<T>(
    call: EthCall,
    parse: (returned: unknown) => T,
    overrides?: StateOverrides,
    deadlineMs?: number,
    block?: BlockOverride,
  ): Promise<T> {
    if (!overrides) return this.ask('eth_call', [toWireCall(call), 'latest'], parse, { deadlineMs });
    const params = [toWireCall(call), 'latest', toWireOverrides(overrides), ...(block ? [toWireBlock(block)] : [])];
    return this.ask('eth_call', params, parse, {
      unsupported: (error) =>
        refusesOverrides(error) ? new StateOverridesUnsupportedError(this.chain.chainId, { cause: error }) : undefined,
      deadlineMs,
    });
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
    return this.ask(method, [toWireCall(call), 'latest'], parseAccessList, {
      unsupported: (error) =>
        isMethodUnknown(error) ? new MethodUnsupportedError(method, { cause: error }) : undefined,
    });
  }

  /** A word of a contract's storage, in 0x and 64 digits. */
  storageAt({ address, slot }: TouchedSlot, deadlineMs?: number): Promise<Hex> {
    const parse = (value: unknown) => toWord(parseQuantity(value, 'eth_getStorageAt'));
    return this.ask('eth_getStorageAt', [address, slot, 'latest'], parse, { deadlineMs });
  }

  /** Deployed code of an account; `0x` when it has no code. */
  code(address: Address, deadlineMs?: number): Promise<Hex> {
    return this.ask('eth_getCode', [address, 'latest'], (value) => parseBytes(value, 'eth_getCode'), { deadlineMs });
  }

  /** The coins of an account; wei. */
  balanceWei(address: Address, deadlineMs?: number): Promise<bigint> {
    return this.ask('eth_getBalance', [address, 'latest'], (value) => parseQuantity(value, 'eth_getBalance'), {
      deadlineMs,
    });
  }

  /**
   * One JSON-RPC call with failover and hedging. `parse` throws on an answer that is not what the method promises; the next
   * URL is then asked.
   *
   * @param options.unsupported makes an error of the answer of a node that can't do this; thrown when no node can
   * @param options.deadlineMs of the request that asks, by the monotonic clock
   * @throws {RequestTimedOutError} when that is over
   */
  async ask<T>(
    method: string,
    params: readonly unknown[],
    parse: (value: unknown) => T,
    options: {
      readonly unsupported?: (error: unknown) => Error | undefined;
      readonly deadlineMs?: number | undefined;
    } = {},
  ): Promise<T> {
    const { unsupported = () => undefined, deadlineMs = NO_DEADLINE } = options;
    const { endpoints, settings, retries, clock } = this;
    assertInTime(deadlineMs, clock());
    const said = await askInTurn({
      ...{ endpoints, settings, retries, clock, deadlineMs },
      ask: (endpoint, timeoutMs) => this.askOne(endpoint, { method, params, timeoutMs, parse, unsupported }),
    });
    if ('value' in said) return said.value;
    const [inability] = said.unable.values();
    if (inability && endpoints.every((one) => one.servesAnotherChain || said.unable.has(one))) throw inability;
    assertInTime(deadlineMs, clock() + TIMER_EARLY_MS);
    throw new DependencyUnavailableError('chain', `chain ${this.chain.chainId} cannot be read at the moment`, {
      cause: said.lastFault,
    });
  }

  /** Rejects when the contract refuses: every node would answer the same. */
  private async askOne<T>(
    endpoint: ChainEndpoint,
    call: {
      method: string;
      params: readonly unknown[];
      timeoutMs: number;
      parse: (value: unknown) => T;
      unsupported: (error: unknown) => Error | undefined;
    },
  ): Promise<Said<T>> {
    try {
      const value = call.parse(await endpoint.call(call.method, call.params, call.timeoutMs));
      endpoint.breaker.succeeded();
      return { kind: 'answer', value };
    } catch (error) {
      if (isRevert(error)) {
        endpoint.breaker.succeeded();
        throw new CallRevertedError(error.rpcMessage, error.data);
      }
      const inability = call.unsupported(error);
      if (inability) {
        endpoint.breaker.succeeded();
        return { kind: 'unable', error: inability };
      }
      // A misconfigured URL must not use up attempts that working URLs need.
      const isAttempt = !(error instanceof WrongChainError);
      // A request with little time left says nothing about the URL either.
      const isCutShort = isTimeout(error) && call.timeoutMs < this.settings.callTimeoutMs;
      if (isAttempt && !isCutShort) endpoint.breaker.failed();
      this.report(endpoint, error);
      return { kind: 'fault', error, isAttempt };
    }
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
