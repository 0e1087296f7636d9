import { useSyncExternalStore } from 'react';
import { whenReachable } from '../api/when-reachable';

/** What a reader does before he needs more than he sees. */
const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'focusin'] as const;
const AT_LATEST_MS = 2_500;

const wanted = new Promise<void>((resolve) => {
  for (const sign of SIGNS) addEventListener(sign, () => resolve(), { once: true, passive: true });
  setTimeout(resolve, AT_LATEST_MS);
});

/**
 * A part of the page that the first sight of a screen does without. It is loaded when the reader first does something, or
 * has looked for a while, so it delays nothing that he waits for.
 *
 * @returns a hook: the part, or undefined until it is loaded
 */
export function later<T>(load: () => Promise<T>): () => T | undefined {
  let part: T | undefined;
  const listeners = new Set<() => void>();
  void wanted
    .then(() => whenReachable(load))
    .then((loaded) => {
      part = loaded;
      for (const listener of listeners) listener();
    });
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return function useLater() {
    return useSyncExternalStore(subscribe, () => part);
  };
}
