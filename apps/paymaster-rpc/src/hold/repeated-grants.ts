import type { OperationKey } from '@paymaster/ledger';

/** How many events of one operation are written within a minute. Honest clients repeat a request once or twice. */
const MAX_TOLD = 4;
const MINUTE_MS = 60_000;
/** When there are more operations than this, all counts are dropped; their next events are written again. */
const MAX_REMEMBERED = 20_000;

/** Counts the events of operations that this process lately granted, so that polling does not fill the event stream. */
export class RepeatedGrants {
  /** Events in the current minute. */
  private readonly told = new Map<string, number>();
  private endsAtMs = 0;

  constructor(private readonly clock: () => number = Date.now) {}

  /** Whether enough events of the operation were written in this minute. */
  isQuiet(operation: OperationKey): boolean {
    return this.timesTold(keyOf(operation)) >= MAX_TOLD;
  }

  /** Counts a grant, unless its request was quiet. */
  tell(operation: OperationKey): void {
    const key = keyOf(operation);
    const times = this.timesTold(key);
    if (times < MAX_TOLD) this.told.set(key, times + 1);
  }

  private timesTold(key: string): number {
    const nowMs = this.clock();
    if (nowMs >= this.endsAtMs || this.told.size >= MAX_REMEMBERED) {
      this.told.clear();
      this.endsAtMs = nowMs + MINUTE_MS;
    }
    return this.told.get(key) ?? 0;
  }
}

/**
 * The key is short, because there are many keys. Operations that differ only in the contract share a count; that loses
 * no event of a new reservation, because the ledger always writes that event.
 */
function keyOf({ paymasterId, sender, nonce }: OperationKey): string {
  return `${paymasterId}/${sender}/${nonce}`;
}
