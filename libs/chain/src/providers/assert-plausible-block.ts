import { UnexpectedAnswerError } from '../json-rpc/parse';
import type { Block } from './block';

/** How wrong a pod's wall clock may be; seconds. */
export const WALL_CLOCK_SKEW_SECONDS = 600;

/** How many blocks more than its block time allows a chain may have: bursts, and local chains that mine on demand. */
const SLACK_BLOCKS = 1_000;
/**
 * How many times faster than its `blockTimeSeconds` a chain may be. 12 s is the default and the fastest rollups take
 * 0.25 s: that is 48 times, so 100 leaves room for a chain that does not set it.
 */
const SLACK_FACTOR = 100;

/**
 * Refuses a block that cannot be true. The head never goes backwards, so one wrong answer would otherwise stop the
 * chain's clock in the future until a restart.
 *
 * @param since the head so far and how long ago it was seen. Before there is a head, the chain is taken to have started
 *   in 1970, so only absurd numbers are refused
 * @throws {UnexpectedAnswerError}
 */
export function assertPlausibleBlock({
  block,
  wallClockSeconds,
  blockTimeSeconds,
  since,
}: {
  block: Block;
  wallClockSeconds: number;
  blockTimeSeconds: number;
  since?: { readonly number: bigint; readonly elapsedSeconds: number };
}): void {
  if (block.timestampSeconds > wallClockSeconds + WALL_CLOCK_SKEW_SECONDS) {
    throw new UnexpectedAnswerError('block.timestamp', `is more than ${WALL_CLOCK_SKEW_SECONDS} s in the future`);
  }
  const { number, elapsedSeconds } = since ?? { number: 0n, elapsedSeconds: block.timestampSeconds };
  const mostBlocks = SLACK_BLOCKS + Math.ceil((SLACK_FACTOR * elapsedSeconds) / blockTimeSeconds);
  if (block.number - number > BigInt(mostBlocks)) {
    throw new UnexpectedAnswerError('block.number', 'is further ahead than the chain can be');
  }
}
