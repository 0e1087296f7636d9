import { setTimeout as sleep } from 'node:timers/promises';

export interface Repetition {
  /** @returns whether the next step should follow at once */
  readonly step: () => Promise<boolean>;
  /** The pause after a step that left nothing to do; milliseconds. */
  readonly pauseMs: () => number;
  /** Called with the error of a step. The pause doubles with each failure in a row, up to {@link MAX_PAUSE_MS}. */
  readonly onFault: (error: unknown, failuresInARow: number) => void;
  readonly signal: AbortSignal;
}

const MAX_PAUSE_MS = 5_000;

/** Runs a step again and again until the signal is aborted. Resolves when the last step is over; never rejects. */
export async function repeat({ step, pauseMs, onFault, signal }: Repetition): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    let hasMore = false;
    try {
      hasMore = await step();
      failures = 0;
    } catch (error) {
      failures += 1;
      onFault(error, failures);
    }
    if (hasMore || signal.aborted) continue;
    const restMs = pauseMs();
    const pause = Math.min(restMs * 2 ** Math.min(failures, 10), Math.max(restMs, MAX_PAUSE_MS));
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
}
