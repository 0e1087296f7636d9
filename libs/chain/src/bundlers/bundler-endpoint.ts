import type { Hex } from '@paymaster/domain';
import { CircuitBreaker, monotonicClock, type MonotonicClock } from '@paymaster/turns';
import type { BundlerConfig } from '../chains/chain-config';
import { JsonRpcClient } from '../json-rpc/json-rpc-client';
import { JsonRpcResponseError, JsonRpcTransportError } from '../json-rpc/json-rpc-errors';
import { parseRecord } from '../json-rpc/parse';

/** A bundler that failed this often in a row is asked last, until it has had time to recover. */
const BREAKER = { failureThreshold: 3, openMs: 5_000 };

/** Methods that say what became of an operation, also before it is in a block. */
const STATUS_METHODS: Readonly<Partial<Record<BundlerConfig['kind'], string>>> = {
  alto: 'pimlico_getUserOperationStatus',
  rundler: 'rundler_getUserOperationStatus',
};

/** What a bundler says of an operation. */
export interface PoolStatus {
  readonly state: 'unknown' | 'pool' | 'submitted' | 'dropped';
  /** Of the bundle, where it is known. */
  readonly transactionHash?: Hex | undefined;
}

/** The words of alto and of rundler. What has landed is known by its receipt. */
const STATES: Readonly<Record<string, PoolStatus['state']>> = {
  not_submitted: 'pool',
  queued: 'pool',
  pending: 'pool',
  submitted: 'submitted',
  pendingBundle: 'submitted',
  preconfirmed: 'submitted',
  included: 'submitted',
  mined: 'submitted',
  reverted: 'submitted',
  failed: 'dropped',
  rejected: 'dropped',
};

/** One bundler: what it is asked, and whether it answers. */
export class BundlerEndpoint {
  readonly name: string;
  /** Requests since the start, by outcome; for metrics. Slow: an estimate, which runs a client's code. */
  readonly calls = { answered: 0, failed: 0, slow: 0 };
  /** Operations sent since the start, by outcome; for metrics. */
  readonly sends = { taken: 0, refused: 0, failed: 0 };
  private readonly client: JsonRpcClient;
  private readonly breaker: CircuitBreaker;

  constructor(
    readonly config: BundlerConfig,
    clock: MonotonicClock = monotonicClock,
  ) {
    this.name = config.name;
    this.client = new JsonRpcClient(config.url);
    this.breaker = new CircuitBreaker(BREAKER, clock);
  }

  /** Whether it has answered lately, or may be tried again. It is judged by what it does, not by a ping. */
  get isWell(): boolean {
    return !this.breaker.isOpen;
  }

  /**
   * @param parse throws on an answer that is not what the method promises: it is not believed
   * @param isStrangersWork whether it runs code of a client: then a bundler that takes long is not ill
   * @throws {JsonRpcResponseError} the bundler's own error
   * @throws {JsonRpcTransportError} {@link UnexpectedAnswerError} when there is no usable answer
   */
  async ask<T>(
    method: string,
    params: readonly unknown[],
    parse: (value: unknown) => T,
    { timeoutMs, isStrangersWork = false }: { timeoutMs: number; isStrangersWork?: boolean },
  ): Promise<T> {
    this.breaker.tryAcquire();
    let answer: unknown;
    try {
      answer = await this.client.call(method, params, { timeoutMs });
    } catch (error) {
      // What a client sends must not make a bundler ill for others: only what it does not answer counts.
      if (error instanceof JsonRpcResponseError) this.succeeded();
      else {
        this.calls[isStrangersWork ? 'slow' : 'failed'] += 1;
        if (!isStrangersWork) this.breaker.failed();
      }
      throw error;
    }
    this.succeeded();
    return parse(answer);
  }

  /**
   * What the bundler says of an operation.
   *
   * @returns undefined when it cannot say: `eth_getUserOperationByHash` of many bundlers does not know what is pending
   */
  async statusOf(userOpHash: string, timeoutMs: number): Promise<PoolStatus | undefined> {
    const method = STATUS_METHODS[this.config.kind];
    try {
      if (method !== undefined) return await this.ask(method, [userOpHash], readStatus, { timeoutMs });
      const known = await this.ask('eth_getUserOperationByHash', [userOpHash], (value) => value, { timeoutMs });
      return known === null ? undefined : { state: 'pool' };
    } catch {
      return undefined;
    }
  }

  private succeeded(): void {
    this.calls.answered += 1;
    this.breaker.succeeded();
  }
}

function readStatus(value: unknown): PoolStatus {
  const { status, transactionHash, txHash } = parseRecord(value, 'the status of an operation');
  const hash = transactionHash ?? txHash;
  const state = STATES[String(status)] ?? 'unknown';
  return typeof hash === 'string' && isHash(hash) ? { state, transactionHash: hash as Hex } : { state };
}

const isHash = (text: string): boolean => /^0x[0-9a-f]{64}$/i.test(text);

/** Whether nothing of the request has reached the bundler. */
export function wasNotReached(error: unknown): boolean {
  if (!(error instanceof JsonRpcTransportError) || error.fault !== 'connection') return false;
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EHOSTUNREACH';
}
