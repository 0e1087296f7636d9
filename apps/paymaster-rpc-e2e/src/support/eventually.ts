/** Repeats an expectation until it holds. @throws what it threw last, when it does not hold in time */
export async function eventually<T>(withinMs: number, attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}
