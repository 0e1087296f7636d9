import { createHash } from 'node:crypto';

/** The text from which the id is computed: equal for every process, and at every time, that reads the same chain. */
export type Fact = readonly (string | number)[];

/**
 * The id of an event: a UUID (version 8) computed from what happened. When settlement reads the same blocks again after
 * a restore, it makes the same ids, so consumers recognise the events.
 *
 * @param time how often the same thing happened before, from 0: after a block was undone, an operation can land in it
 *   again
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
