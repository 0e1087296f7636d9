import { RequestTimedOutError, type Address } from '@paymaster/domain';
import { getBytes, keccak256, toUtf8Bytes } from 'ethers';
import { RemoteSigner } from '../remote/remote-signer';
import type { Signer, SignerObserver } from '../signer/signer';
import { SignerError, type SignerFailure } from '../signer/signer-error';

/** After this many failures in a row a signer is down. A single wrong signature is enough, too. */
const FAILURES_IN_A_ROW = 3;
/** The message that is signed to test a signer. No transaction and no EIP-191 or EIP-712 message begins like it. */
const PROBE = toUtf8Bytes('paymaster signer probe: this signature is worth nothing');
const PROBE_DIGEST = getBytes(keccak256(PROBE));

/** Called once each time that a signer goes down or comes back. */
export interface SignerListeners {
  observer?: SignerObserver | undefined;
  onDown?: ((signer: LiveSigner, failure: SignerError) => void) | undefined;
  onUp?: ((signer: LiveSigner) => void) | undefined;
}

/** One signer of the set: whether it is up, and what it did. */
export class LiveSigner {
  private failures = 0;
  private failure: SignerFailure | undefined;

  /** @param listeners of the whole set; listeners that are added later are called too */
  constructor(
    readonly name: string,
    readonly signer: Signer,
    private readonly listeners: SignerListeners,
  ) {}

  get address(): Address {
    return this.signer.address;
  }

  /** Whether it signs at once, in this process. */
  get isLocal(): boolean {
    return !(this.signer instanceof RemoteSigner);
  }

  /** False once the signer has failed several times in a row, until a probe succeeds. */
  get isUp(): boolean {
    return this.failure === undefined;
  }

  /** Why it is not up. */
  get downBecause(): SignerFailure | undefined {
    return this.failure;
  }

  /** Milliseconds until it may be asked again after it was throttled; 0 when it may be asked now. */
  get pausedForMs(): number {
    return this.signer instanceof RemoteSigner ? this.signer.pausedForMs : 0;
  }

  /** For a local signer: without a promise, and without reading a clock that no observer needs. */
  signAtOnce(digest: Uint8Array, preimage: Uint8Array): Uint8Array {
    const { observer } = this.listeners;
    if (!observer) return this.signer.sign(digest, preimage) as Uint8Array;
    const startedAt = performance.now();
    const signature = this.signer.sign(digest, preimage) as Uint8Array;
    observer.signed(this.name, (performance.now() - startedAt) / 1_000);
    return signature;
  }

  /**
   * @throws {SignerError} with the reason; it has been counted
   * @throws {RequestTimedOutError} when there is no time to ask, which does not count as a failure
   */
  async sign(digest: Uint8Array, preimage: Uint8Array, deadlineMs?: number): Promise<Uint8Array> {
    const startedAt = performance.now();
    try {
      const signature = await this.signer.sign(digest, preimage, deadlineMs);
      this.failures = 0;
      this.listeners.observer?.signed(this.name, (performance.now() - startedAt) / 1_000);
      return signature;
    } catch (error) {
      if (error instanceof RequestTimedOutError) throw error;
      throw this.failed(error, FAILURES_IN_A_ROW);
    }
  }

  /**
   * Probes the signer with a worthless signature; only this brings a signer back. @throws {SignerError} why it is down
   */
  async probe(): Promise<void> {
    try {
      await this.signer.sign(PROBE_DIGEST, PROBE);
    } catch (error) {
      throw this.failed(error, 1);
    }
    this.failures = 0;
    if (this.isUp) return;
    this.failure = undefined;
    this.listeners.onUp?.(this);
  }

  /** The signer is down until a probe succeeds. */
  takeOut(failure: SignerError): void {
    const wasUp = this.isUp;
    this.failure = failure.kind;
    if (wasUp) this.listeners.onDown?.(this, failure);
  }

  close(): void {
    if (this.signer instanceof RemoteSigner) this.signer.close();
  }

  private failed(error: unknown, mostInARow: number): SignerError {
    const failure =
      error instanceof SignerError ? error : new SignerError('malformed', 'signing failed', { cause: error });
    this.listeners.observer?.failed(this.name, failure.kind);
    // A busy or throttled signer is not at fault.
    if (failure.kind === 'busy' || failure.kind === 'throttled') return failure;
    this.failures += 1;
    if (failure.kind !== 'lying' && this.failures < mostInARow) return failure;
    this.takeOut(failure);
    return failure;
  }
}
