import type { OperationKey } from '@paymaster/ledger';

/** Events of one operation within a minute. A client that asks again usually has one or two reasons to. */
const MAX_TOLD = 4;
const MINUTE_MS = 60_000;
/** When there are more operations than this, all are forgotten, and their events are written again. */
const MAX_REMEMBERED = 20_000;

/** Counts the events of operations that this process lately granted, so that polling does not fill the event stream. */
export class ToldGrants {
  /** Since the minute began. */
  private readonly told = new Map<string, number>();
  private endsAtMs = 0;

  constructor(private readonly clock: () => number = Date.now) {}

  /** Whether enough events were written of the operation. */
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
 * A short key, because there are many. Operations that differ only in the contract share a count: a new reservation
 * always has its event.
 */
function keyOf({ paymasterId, sender, nonce }: OperationKey): string {
  return `${paymasterId}/${sender}/${nonce}`;
}
