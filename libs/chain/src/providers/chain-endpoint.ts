import { CircuitBreaker, inTime, type CircuitBreakerSettings, type MonotonicClock } from '@paymaster/turns';
import { JsonRpcClient } from '../json-rpc/json-rpc-client';
import { JsonRpcResponseError, JsonRpcTransportError } from '../json-rpc/json-rpc-errors';
import { parseQuantity } from '../json-rpc/parse';

const CHAIN_ID_TRUSTED_MS = 3_600_000;
/** A URL of a wrong chain is not asked for this long; then its chain id is checked again. */
const WRONG_CHAIN_TRUSTED_MS = 60_000;
/** The least time for a chain id check: all callers that ask meanwhile wait for it, not only the first. */
const CHAIN_ID_MS = 2_000;

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
  /** Calls since the start, by whether an answer came back, if only an error of the node's. */
  readonly calls = { answered: 0, failed: 0 };
  private readonly client: JsonRpcClient;
  private verifiedAt: number | undefined;
  private verifying: Promise<void> | undefined;
  private wrongChain: WrongChainError | undefined;
  private foundWrongAt = 0;

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
   * @param maxAnswerBytes longest answer that is read; the client's by default
   * @throws {WrongChainError} when the URL answers with another chain id; for a minute without asking again
   */
  async call(method: string, params: readonly unknown[], timeoutMs: number, maxAnswerBytes?: number): Promise<unknown> {
    const startedAt = this.clock();
    try {
      await this.verifyChain(timeoutMs);
      const answer = await this.client.call(method, params, {
        timeoutMs: Math.max(1, timeoutMs - (this.clock() - startedAt)),
        ...(maxAnswerBytes !== undefined && { maxAnswerBytes }),
      });
      this.calls.answered += 1;
      return answer;
    } catch (error) {
      if (error instanceof JsonRpcResponseError) this.calls.answered += 1;
      else this.calls.failed += 1;
      throw error;
    }
  }

  private async verifyChain(timeoutMs: number): Promise<void> {
    if (this.wrongChain && this.clock() - this.foundWrongAt < WRONG_CHAIN_TRUSTED_MS) throw this.wrongChain;
    if (this.verifiedAt !== undefined && this.clock() - this.verifiedAt < CHAIN_ID_TRUSTED_MS) return;
    this.verifying ??= this.askChainId(Math.max(timeoutMs, CHAIN_ID_MS)).finally(() => (this.verifying = undefined));
    // One caller gives up waiting; the work goes on, because others wait for it too.
    await inTime(this.verifying, timeoutMs, () =>
      Promise.reject(new JsonRpcTransportError('timeout', this.host, `no answer within ${timeoutMs} ms`)),
    );
  }

  private async askChainId(timeoutMs: number): Promise<void> {
    const answered = parseQuantity(await this.client.call('eth_chainId', [], { timeoutMs }), 'eth_chainId');
    if (answered !== BigInt(this.chainId)) {
      this.foundWrongAt = this.clock();
      this.wrongChain = new WrongChainError(this.host, this.chainId, answered);
      throw this.wrongChain;
    }
    this.wrongChain = undefined;
    this.verifiedAt = this.clock();
  }
}
