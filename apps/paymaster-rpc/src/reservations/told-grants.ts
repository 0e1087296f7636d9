import type { OperationKey } from '@paymaster/ledger';
import { LRUCache } from 'lru-cache';

/** How often one operation is told of within a minute: clients that ask again have a reason or two. */
const MAX_TOLD = 4;
const MINUTE_MS = 60_000;
/** One that is forgotten is told of again. */
const MAX_REMEMBERED = 20_000;

/** Of which operations this process told lately, so that polling for one operation does not fill the event stream. */
export class ToldGrants {
  private readonly told = new LRUCache<string, number[]>({ max: MAX_REMEMBERED, ttl: MINUTE_MS });

  constructor(private readonly clock: () => number = Date.now) {}

  /** Whether it was told of often enough. */
  isQuiet(operation: OperationKey): boolean {
    return this.recently(keyOf(operation)).length >= MAX_TOLD;
  }

  /** It was granted, and told of unless it was quiet. */
  tell(operation: OperationKey): void {
    const key = keyOf(operation);
    const recently = this.recently(key);
    if (recently.length < MAX_TOLD) this.told.set(key, [...recently, this.clock()]);
  }

  private recently(key: string): readonly number[] {
    const since = this.clock() - MINUTE_MS;
    return (this.told.get(key) ?? []).filter((atMs) => atMs > since);
  }
}

function keyOf({ chainId, contract, wallet, paymasterId, sender, nonce }: OperationKey): string {
  return [chainId, contract, wallet, paymasterId, sender, nonce].join('/');
}
