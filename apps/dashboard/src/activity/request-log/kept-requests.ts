import type { LoggedRequest } from '@paymaster/messaging';

/** The most that is kept of one paymaster in an hour, of signatures and of the rest each. */
export const OF_PAYMASTER = { entries: 600, bytes: 1_000_000 };

/** What is kept already of an hour. */
export interface KeptInHour {
  entries: number;
  bytes: number;
}

const HOUR_MS = 3_600_000;
/** A gateway's clock may be behind or ahead by so much; an entry further off gets the time of its writing. */
const MOST_SKEW_MS = 3_600_000;

/** An entry on its way into the table. */
export interface WritableRequest {
  readonly entry: LoggedRequest;
  readonly hour: Date;
  /** Its paymaster, whether it is a signature, and the hour. */
  readonly group: string;
  readonly bytes: number;
}

/** @param nowMs unix milliseconds */
export function toWritable(sent: LoggedRequest, nowMs: number): WritableRequest {
  const isSane = sent.atMs <= nowMs && nowMs - sent.atMs <= MOST_SKEW_MS;
  const entry = isSane ? sent : { ...sent, atMs: nowMs };
  const hour = hourOf(entry.atMs);
  const group = groupOf(entry.paymasterId, entry.outcome === 'granted', hour);
  return { entry, hour, group, bytes: JSON.stringify(entry).length };
}

export const hourOf = (atMs: number): Date => new Date(Math.floor(atMs / HOUR_MS) * HOUR_MS);
export const groupOf = (paymasterId: string, areGrants: boolean, hour: Date): string =>
  `${paymasterId} ${areGrants} ${hour.getTime()}`;

/**
 * The requests for which there is room, in their order. Adds them to what is kept.
 *
 * @param kept of each group, and of all paymasters together
 */
export function withRoom(
  requests: readonly WritableRequest[],
  kept: { readonly groups: ReadonlyMap<string, KeptInHour>; readonly all: KeptInHour; readonly mostBytes: number },
): readonly WritableRequest[] {
  return requests.filter(({ group, bytes }) => {
    const own = kept.groups.get(group);
    if (!own || own.entries >= OF_PAYMASTER.entries || own.bytes + bytes > OF_PAYMASTER.bytes) return false;
    if (kept.all.bytes + bytes > kept.mostBytes) return false;
    for (const each of [own, kept.all]) {
      each.entries += 1;
      each.bytes += bytes;
    }
    return true;
  });
}
