import type { OutboxEvent } from '@paymaster/ledger/settlement';
import type { EventStream, StreamFill, StreamPlace } from './event-stream';

/** Part of the stream above which what every consumer has read is forgotten. */
const FORGET_ABOVE = 0.5;
/** Part of the stream above which what strangers cause is no longer taken: the rest is for the books. */
const REFUSALS_UP_TO = 0.8;
const REFUSALS: ReadonlySet<string> = new Set(['refused', 'sent', 'waiting', 'bundlerRefused', 'dropped']);

/**
 * Forgets the messages that all consumers are done with, once the stream is half full. A refusing stream is not freed
 * by reading it, and what is forgotten here is still in Postgres.
 *
 * @param request.keep the messages by whose presence a loss is told; they and everything after them stay, as does the
 * newest message. Asked only when there is something to forget; undefined: nothing is forgotten
 * @returns how full the stream is then
 */
export async function makeRoom(request: {
  stream: EventStream;
  keep: () => Promise<readonly StreamPlace[] | undefined>;
}): Promise<StreamFill> {
  const { stream, keep } = request;
  const fill = await stream.fill();
  if (fill.bytes <= fill.maxBytes * FORGET_ABOVE) return fill;
  const consumed = await stream.consumedUpTo(fill);
  if (consumed < fill.firstSequence) return fill;
  const kept = await keep();
  if (!kept) return fill;
  const first = Math.min(consumed + 1, fill.lastSequence, ...kept.map(({ sequence }) => sequence));
  if (first <= fill.firstSequence) return fill;
  await stream.forgetBefore(first);
  return stream.fill();
}

/** Which events are sent: all but refusals, and what bundlers did, that would fill the stream above their part. */
export function fitRefusals(
  events: readonly OutboxEvent[],
  { bytes, maxBytes }: StreamFill,
): { sent: OutboxEvent[]; dropped: OutboxEvent[] } {
  const sent: OutboxEvent[] = [];
  const dropped: OutboxEvent[] = [];
  let filled = bytes;
  for (const each of events) {
    const size = Buffer.byteLength(JSON.stringify(each.event));
    const fits = !REFUSALS.has(each.event.kind) || filled + size <= maxBytes * REFUSALS_UP_TO;
    if (fits) filled += size;
    (fits ? sent : dropped).push(each);
  }
  return { sent, dropped };
}
