import { UnexpectedAnswerError } from '../json-rpc/parse';
import type { Log } from '../providers/log';

/**
 * Each log once, in order of block and index.
 *
 * @throws {UnexpectedAnswerError} when two different logs claim one place
 */
export function distinctLogs(logs: readonly Log[]): readonly Log[] {
  const byPlace = new Map<string, Log>();
  for (const log of logs) {
    const place = `${log.blockHash}:${log.logIndex}`;
    const known = byPlace.get(place);
    if (known && logKey(known) !== logKey(log)) throw new UnexpectedAnswerError('logs', 'claim one place twice');
    byPlace.set(place, log);
  }
  return [...byPlace.values()].sort((a, b) => Number(a.blockNumber - b.blockNumber) || Number(a.logIndex - b.logIndex));
}

/** Equal for equal lists of logs. */
export function logsKey(logs: readonly Log[]): string {
  return logs.map(logKey).join('\n');
}

function logKey({ blockHash, logIndex, transactionHash, address, topics, data }: Log): string {
  return [blockHash, logIndex, transactionHash, address, ...topics, data].join();
}
