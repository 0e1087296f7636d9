import { createHash } from 'node:crypto';

/** What an event tells, in words that are the same whoever reads the chain, and when. */
export type Fact = readonly (string | number)[];

/**
 * The id of an event: a UUID (version 8) made of the fact it tells. Who restores a backup and reads the same blocks
 * again says the same under the same ids, and consumers know it already.
 *
 * @param time counts from 0 how often the fact came true before: an operation can land in a block again that was undone
 */
export function eventId(fact: Fact, time: number): string {
  const bytes = createHash('sha256')
    .update(JSON.stringify([...fact, time]))
    .digest()
    .subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
