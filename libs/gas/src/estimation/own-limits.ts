import { hash } from 'node:crypto';
import { initCodeOf, type AccountGasLimits, type Address, type UserOperation } from '@paymaster/domain';
import { monotonicClock, type MonotonicClock } from '@paymaster/turns';
import { LRUCache } from 'lru-cache';

/** How long a measurement is used, because the state may change; milliseconds. */
const REMEMBERED_MS = 600_000;
/** How long our `preVerificationGas` is: fees for L1 data, which it contains, change faster; milliseconds. */
const PRICED_MS = 60_000;
const MAX_REMEMBERED = 20_000;

/** What this platform answered for an operation. */
export interface OwnLimits extends AccountGasLimits {
  /** Zero once fees for L1 data may have changed. */
  readonly preVerificationGas: bigint;
}

/**
 * The limits that this process calculated lately, by what an operation does: a client that sends them back, with
 * another nonce or signature too, is known to send our own numbers.
 */
export class OwnLimitsMemory {
  private readonly answered: LRUCache<string, AccountGasLimits & { readonly atMs: number }>;
  /** Accounts of which something was answered: for other accounts no call data is hashed. */
  private readonly senders = new LRUCache<Address, true>({ maxSize: MAX_REMEMBERED, sizeCalculation: () => 1 });

  constructor(private readonly clock: MonotonicClock = monotonicClock) {
    this.answered = new LRUCache({ max: MAX_REMEMBERED });
  }

  remember(
    operation: UserOperation,
    { callGasLimit, verificationGasLimit, preVerificationGas }: AccountGasLimits,
  ): void {
    const atMs = this.clock();
    this.senders.set(operation.sender, true);
    this.answered.set(keyOf(operation), { callGasLimit, verificationGasLimit, preVerificationGas, atMs });
  }

  /** What was answered for an operation that does the same; undefined where that is forgotten. */
  of(operation: UserOperation): OwnLimits | undefined {
    const answer = this.senders.get(operation.sender) ? this.answered.get(keyOf(operation)) : undefined;
    if (!answer) return undefined;
    const ageMs = this.clock() - answer.atMs;
    if (ageMs > REMEMBERED_MS) return undefined;
    return ageMs > PRICED_MS ? { ...answer, preVerificationGas: 0n } : answer;
  }
}

function keyOf(operation: UserOperation): string {
  const { entryPointVersion, sender, callData } = operation;
  // One call and not a hash object, because this runs for every signature.
  return hash('sha1', `${entryPointVersion}${sender}${initCodeOf(operation)}${callData}`, 'base64');
}
