import type { OperationKey } from '@paymaster/ledger';

/** How often one operation is told of within a minute: clients that ask again have a reason or two. */
const MAX_TOLD = 4;
const MINUTE_MS = 60_000;
/** Of more than that, all are forgotten, and are told of again. */
const MAX_REMEMBERED = 20_000;

/** Of which operations this process told lately, so that polling for one operation does not fill the event stream. */
export class ToldGrants {
  /** Since the minute began. */
  private readonly told = new Map<string, number>();
  private endsAtMs = 0;

  constructor(private readonly clock: () => number = Date.now) {}

  /** Whether it was told of often enough. */
  isQuiet(operation: OperationKey): boolean {
    return this.timesTold(keyOf(operation)) >= MAX_TOLD;
  }

  /** It was granted, and told of unless it was quiet. */
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

/** Short, for there are many. Two that differ in their contract alone share a count; a new reservation is told anyway. */
function keyOf({ paymasterId, sender, nonce }: OperationKey): string {
  return `${paymasterId}/${sender}/${nonce}`;
}
