import { isReachable } from './client';
import { lost } from './connection';

/**
 * Loads a part of the page. While the dashboard does not answer, it waits, and loads again when the dashboard does.
 * @throws what `load` throws though the dashboard answers: the part is no longer there
 */
export async function whenReachable<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      if (await isReachable()) throw error;
    }
    await lost.until(false);
  }
}
