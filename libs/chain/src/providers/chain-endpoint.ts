import { JsonRpcClient } from '../json-rpc/json-rpc-client';
import { parseQuantity } from '../json-rpc/parse';
import { CircuitBreaker, type CircuitBreakerSettings } from './circuit-breaker';
import type { MonotonicClock } from './monotonic-clock';

const CHAIN_ID_TRUSTED_MS = 3_600_000;

/** The URL serves another chain than configured: using it would read other people's balances. */
export class WrongChainError extends Error {
  constructor(
    readonly host: string,
    readonly expectedChainId: number,
    readonly answeredChainId: bigint,
  ) {
    super(`${host} serves chain ${answeredChainId}, not ${expectedChainId}: it is not used`);
    this.name = 'WrongChainError';
  }
}

/** One RPC URL of a chain: its client, its breaker, and whether it has shown that it serves this chain. */
export class ChainEndpoint {
  readonly breaker: CircuitBreaker;
  private readonly client: JsonRpcClient;
  private verifiedAt: number | undefined;
  private verifying: Promise<void> | undefined;
  private wrongChain: WrongChainError | undefined;

  constructor(
    url: string,
    private readonly chainId: number,
    private readonly clock: MonotonicClock,
    breaker: CircuitBreakerSettings,
  ) {
    this.client = new JsonRpcClient(url);
    this.breaker = new CircuitBreaker(breaker, clock);
  }

  get host(): string {
    return this.client.host;
  }

  get servesAnotherChain(): boolean {
    return this.wrongChain !== undefined;
  }

  /**
   * @param timeoutMs for the answer, a first chain id check included
   * @throws {WrongChainError} when the URL answers with another chain id; from then on without asking again
   */
  async call(method: string, params: readonly unknown[], timeoutMs: number): Promise<unknown> {
    const startedAt = this.clock();
    await this.verifyChain(timeoutMs);
    return this.client.call(method, params, { timeoutMs: Math.max(1, timeoutMs - (this.clock() - startedAt)) });
  }

  private async verifyChain(timeoutMs: number): Promise<void> {
    if (this.wrongChain) throw this.wrongChain;
    if (this.verifiedAt !== undefined && this.clock() - this.verifiedAt < CHAIN_ID_TRUSTED_MS) return;
    this.verifying ??= this.askChainId(timeoutMs).finally(() => (this.verifying = undefined));
    await this.verifying;
  }

  private async askChainId(timeoutMs: number): Promise<void> {
    const answered = parseQuantity(await this.client.call('eth_chainId', [], { timeoutMs }), 'eth_chainId');
    if (answered !== BigInt(this.chainId)) {
      this.wrongChain = new WrongChainError(this.host, this.chainId, answered);
      throw this.wrongChain;
    }
    this.verifiedAt = this.clock();
  }
}
