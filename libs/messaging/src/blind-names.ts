import { createHmac, hkdfSync } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const LABEL = 'paymaster/rate-limits/names/v1';
/** 128 bits, so that no two keys share a name. */
const NAME_BYTES = 16;
/** Names in memory, so that a busy client is not hashed for every request. */
const MAX_REMEMBERED = 10_000;

/** Names for the keys of a limit. They are equal in every process, and a reader cannot find the key behind a name. */
export class BlindNames {
  private readonly key: Buffer;
  private readonly known = new LRUCache<string, string>({ max: MAX_REMEMBERED });

  /** @param indexKeyHex `API_KEY_INDEX_KEY`; the key is derived from it */
  constructor(indexKeyHex: string) {
    const secret = Buffer.from(indexKeyHex.replace(/^0x/, ''), 'hex');
    this.key = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), LABEL, 32));
  }

  of(text: string): string {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const name = createHmac('sha256', this.key).update(text).digest().subarray(0, NAME_BYTES).toString('base64url');
    this.known.set(text, name);
    return name;
  }
}
