import { setImmediate } from 'node:timers/promises';
import type { Address } from '@paymaster/domain';
import { inTime, monotonicClock, NO_DEADLINE, timeoutWithin } from '@paymaster/turns';
import { believeSignature } from '../signature/believe-signature';
import type { Signer } from '../signer/signer';
import { SignerError, SignerKeyError } from '../signer/signer-error';
import { Bulkhead } from './bulkhead';
import type { RemoteKey, RemoteSigningRequest } from './remote-key';

/**
 * A remote key as a {@link Signer}: it waits for a turn, keeps the deadline, and accepts a signature only when that
 * recovers to the signer's address over our own digest.
 */
export class RemoteSigner implements Signer {
  private readonly bulkhead = new Bulkhead();
  private isClosing = false;

  /** @param timeoutMs for one signature, waiting for a turn included */
  constructor(
    readonly address: Address,
    private readonly key: RemoteKey,
    private readonly timeoutMs: number,
  ) {}

  /** Milliseconds until it may be asked again after it was throttled; 0 when it may be asked now. */
  get pausedForMs(): number {
    return this.bulkhead.pausedForMs;
  }

  async sign(digest: Uint8Array, preimage: Uint8Array, deadlineMs = NO_DEADLINE): Promise<Uint8Array> {
    const askedAt = monotonicClock();
    const withinMs = timeoutWithin(deadlineMs, { boundMs: this.timeoutMs, nowMs: askedAt });
    let waitedMs = Number.POSITIVE_INFINITY;
    const work = async (signal: AbortSignal): Promise<Uint8Array> => {
      const turn = this.bulkhead.enter(signal);
      if (turn) await turn;
      try {
        waitedMs = monotonicClock() - askedAt;
        const signature = await this.rawSignature({ digest, preimage, signal });
        this.bulkhead.answered();
        return believeSignature({ signature, digest, address: this.address });
      } finally {
        this.leave();
      }
    };
    try {
      return await withDeadline(withinMs, work);
    } catch (error) {
      throw this.judged(error, withinMs - waitedMs);
    }
  }

  /**
   * Compares the public key that the API tells, if it tells one, with the operator's address.
   *
   * @throws {SignerKeyError} when they differ
   * @throws {SignerError} when there is no answer
   */
  async assertOwnKey(): Promise<void> {
    const told = await withDeadline(this.timeoutMs, async (signal) => this.key.publicAddress?.(signal));
    if (told !== undefined && told !== this.address)
      throw new SignerKeyError(`the key's address is ${told}, not ${this.address}`);
  }

  /** Lets calls under way end first. */
  close(): void {
    this.isClosing = true;
    if (this.bulkhead.isIdle) this.key.close();
  }

  /** The server may just have closed an idle connection, so it asks again; signing twice does no harm. */
  private async rawSignature(request: RemoteSigningRequest): Promise<Uint8Array> {
    try {
      return await this.key.rawSignature(request);
    } catch (error) {
      if (!(error instanceof SignerError && error.kind === 'connection')) throw error;
      return this.key.rawSignature(request);
    }
  }

  private leave(): void {
    this.bulkhead.leave();
    if (this.isClosing && this.bulkhead.isIdle) this.key.close();
  }

  /** A call that got its turn with little time left says nothing about the signer. */
  private judged(error: unknown, hadMs: number): SignerError {
    const failure =
      error instanceof SignerError
        ? error
        : new SignerError('malformed', 'the answer cannot be read', { cause: error });
    if (failure.kind === 'throttled') this.bulkhead.refused();
    if (failure.kind === 'timeout' && hadMs < this.timeoutMs / 2) return new SignerError('busy', 'no turn in time');
    return failure;
  }
}

/** Holds the deadline even for a key that ignores the signal. */
function withDeadline<T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  return inTime(work(controller.signal), timeoutMs, async () => {
    controller.abort();
    // If the key itself obeys the signal, its own error is preferred, because it says what the key was waiting for.
    await setImmediate();
    throw new SignerError('timeout', `no answer within ${timeoutMs} ms`);
  });
}
