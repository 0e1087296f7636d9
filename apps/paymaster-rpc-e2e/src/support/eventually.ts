/** Far beyond what anything here takes, also on a machine that stands still now and then; milliseconds. */
export const PATIENCE_MS = 60_000;

/**
 * How soon a change in the dashboard is obeyed; milliseconds. It takes some; what is promised is a second. More is
 * allowed to a machine that stands still, but less than the 7 s after which the gateway looks for itself.
 */
export const OBEYED_MS = 6_000;

/**
 * Repeats an expectation until it holds.
 *
 * @throws what it threw last, when it does not hold in time
 */
export async function eventually<T>(withinMs: number, attempt: () => Promise<T>): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    // The last attempt begins after the end, so that a pause before it takes no attempt away.
    const isLast = performance.now() > end;
    try {
      return await attempt();
    } catch (error) {
      if (isLast) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}
