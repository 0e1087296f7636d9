import { setTimeout as sleep } from 'node:timers/promises';
import { DependencyUnavailableError, type Address } from '@paymaster/domain';
import { assertInTime, monotonicClock, NO_DEADLINE } from '@paymaster/turns';
import type { ContractTrust, SignerObserver, SignerRoster } from '../signer/signer';
import { SignerError, type SignerFailure } from '../signer/signer-error';
import type { LiveSigner, SignerListeners } from './live-signer';

/** A request is not held longer than this, however many signers hang. */
const MOST_MS = 5_000;

/** The digest to sign, and the contract for which it is signed. */
export interface SigningRequest {
  readonly digest: Uint8Array;
  /** Read before `sign` returns; the caller may overwrite it then. */
  readonly preimage: Uint8Array;
  readonly contract: ContractTrust;
  /** When the client is answered at the latest; milliseconds of the monotonic clock. */
  readonly deadlineMs?: number;
}

/** One signer as operators see it. */
export interface SignerReport {
  readonly name: string;
  readonly address: Address;
  readonly isUp: boolean;
  readonly downBecause: SignerFailure | undefined;
}

/**
 * The live signers of this process, in order of preference. Each request goes to the first signer that is up and
 * trusted by the contract; when that one fails, the next is asked.
 */
export class SignerSet implements SignerRoster {
  private readonly changed: Array<() => void> = [];
  private known: readonly Address[];

  /**
   * @param signers in order of preference
   * @param listeners those that the signers were made with
   * @param timeoutMs how long a request waits for a signer that was throttled when no other is left
   */
  constructor(
    private signers: readonly LiveSigner[],
    private readonly listeners: SignerListeners,
    private readonly timeoutMs: number,
  ) {
    this.known = signers.map(({ address }) => address);
  }

  /**
   * @returns 65 bytes; at once, without a promise, when the first choice is a key in this process
   * @throws {DependencyUnavailableError} `signer`, when no signer signed; also by rejecting
   * @throws {RequestTimedOutError} when the deadline is over before a remote signer is asked
   */
  sign(request: SigningRequest): Uint8Array | Promise<Uint8Array> {
    const first = this.firstFor(request.contract, undefined);
    if (first?.isLocal) return first.signAtOnce(request.digest, request.preimage);
    return this.signElsewhere({ ...request, preimage: Uint8Array.from(request.preimage) });
  }

  addresses(): readonly Address[] {
    return this.known;
  }

  isUp(address: Address): boolean {
    for (const signer of this.signers) if (signer.address === address) return signer.isUp;
    return false;
  }

  report(): readonly SignerReport[] {
    return this.signers.map(({ name, address, isUp, downBecause }) => ({ name, address, isUp, downBecause }));
  }

  /** From now on, one observer is called for what every signer does. */
  observe(observer: SignerObserver): void {
    this.listeners.observer = observer;
  }

  /** From now on, calls a listener when a signer goes down or comes back. */
  listen({ onDown, onUp }: Pick<SignerListeners, 'onDown' | 'onUp'>): void {
    Object.assign(this.listeners, { onDown, onUp });
  }

  /** Every signer, for their upkeep. */
  all(): readonly LiveSigner[] {
    return this.signers;
  }

  /** Replaces the signers. Signers that are left out finish their calls. */
  replace(signers: readonly LiveSigner[]): void {
    const left = this.signers.filter((signer) => !signers.includes(signer));
    this.signers = signers;
    this.known = signers.map(({ address }) => address);
    for (const signer of left) signer.close();
    for (const listener of this.changed) listener();
  }

  /** @param listener called when the signers were replaced */
  onChange(listener: () => void): void {
    this.changed.push(listener);
  }

  close(): void {
    for (const signer of this.signers) signer.close();
  }

  private async signElsewhere(request: SigningRequest): Promise<Uint8Array> {
    const { digest, preimage, contract, deadlineMs = NO_DEADLINE } = request;
    const startedAt = monotonicClock();
    const failed = new Set<LiveSigner>();
    for (;;) {
      const nowMs = monotonicClock();
      const waitedMs = nowMs - startedAt;
      assertInTime(deadlineMs, nowMs);
      const leftMs = Math.min(this.timeoutMs - waitedMs, deadlineMs - nowMs);
      const signer = this.firstFor(contract, failed) ?? (await this.firstUnpaused({ contract, failed, leftMs }));
      if (!signer || waitedMs >= MOST_MS) throw nobodySigns();
      try {
        return signer.isLocal ? signer.signAtOnce(digest, preimage) : await signer.sign(digest, preimage, deadlineMs);
      } catch (error) {
        // Throttling is no failure: the signer may be asked again after its pause, if no other signer is left.
        if (!(error instanceof SignerError && error.kind === 'throttled')) failed.add(signer);
      }
    }
  }

  private firstFor(contract: ContractTrust, failed: ReadonlySet<LiveSigner> | undefined): LiveSigner | undefined {
    for (const signer of this.signers) {
      if (!signer.isUp || failed?.has(signer) || !contract.trusts(signer.address)) continue;
      if (signer.isLocal || signer.pausedForMs === 0) return signer;
    }
    return undefined;
  }

  /** Waits for the signer whose pause ends first, if that is within what a request waits. */
  private async firstUnpaused(input: {
    contract: ContractTrust;
    failed: ReadonlySet<LiveSigner>;
    leftMs: number;
  }): Promise<LiveSigner | undefined> {
    const { contract, failed, leftMs } = input;
    const paused = this.signers.filter(
      (signer) => signer.isUp && !failed.has(signer) && contract.trusts(signer.address),
    );
    const pauseMs = Math.min(...paused.map(({ pausedForMs }) => pausedForMs));
    // Each request waits a little longer than the one before, so that not all ask at the same moment.
    const waitMs = pauseMs + Math.random() * 50;
    if (waitMs >= leftMs) return undefined;
    await sleep(waitMs);
    return this.firstFor(contract, failed) ?? paused.find(({ isUp }) => isUp);
  }
}

function nobodySigns(): DependencyUnavailableError {
  return new DependencyUnavailableError('signer', 'No signer that the paymaster contract accepts can sign now.');
}
