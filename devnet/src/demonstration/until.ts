const PAUSE_MS = 200;

/** Looks again and again until there is something. @returns undefined when there is nothing in time */
export async function until<T>(withinMs: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
  for (const end = Date.now() + withinMs; ;) {
    const found = await look();
    if (found !== undefined || Date.now() > end) return found;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
