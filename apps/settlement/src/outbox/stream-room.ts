import type { OutboxEvent } from '@paymaster/ledger/settlement';
import type { EventStream, StreamFill, StreamPlace } from './event-stream';

/** Above this part of the stream, messages that all consumers have read are deleted. */
const FORGET_ABOVE = 0.5;
/**
 * Above this part of the stream, events that strangers can cause are not sent any more. The rest is for events of the
 * books.
 */
const REFUSALS_UP_TO = 0.8;
const REFUSALS: ReadonlySet<string> = new Set(['refused', 'sent', 'waiting', 'bundlerRefused', 'dropped']);

/**
 * Deletes the messages that all consumers have acknowledged, once the stream is half full. Reading alone does not free
 * room in a full stream, and Postgres still has the deleted events.
 *
 * @param request.keep the messages whose absence would show a loss: they stay, and so does all after them. It is called
 *   only when there is something to delete; undefined: nothing is deleted. The newest message always stays
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

/** The events to send: all, except refusals and reports about bundlers that would fill the stream above their part. */
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
