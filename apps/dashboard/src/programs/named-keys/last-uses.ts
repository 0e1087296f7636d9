import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';

/** A key in use is noted once in this time by each process; milliseconds. */
const NOTED_EVERY_MS = 50_000;

/**
 * When a named key was last asked about, which gateways do at least once a minute while it is in use. Noted in the
 * background: an answer never waits for it, and never fails with it.
 */
@Injectable()
export class LastUses {
  private readonly noted = new LRUCache<string, true>({ max: 10_000, ttl: NOTED_EVERY_MS });

  constructor(private readonly dataSource: DataSource) {}

  note(keyId: string): void {
    if (this.noted.has(keyId)) return;
    this.noted.set(keyId, true);
    this.dataSource
      .query(`UPDATE dashboard.named_keys SET last_used_at = now() WHERE id = $1`, [keyId])
      .catch(() => this.noted.delete(keyId));
  }
}
