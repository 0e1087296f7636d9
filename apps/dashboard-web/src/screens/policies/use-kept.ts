import { useState } from 'react';

/** What the reader has open; it stays when somebody deletes it, with what the reader typed. */
export function useKept<T>(found: T | undefined, isOpen: (kept: T) => boolean) {
  const [last, setLast] = useState(found);
  if (found !== undefined && found !== last) setLast(found);
  const kept = found ?? (last !== undefined && isOpen(last) ? last : undefined);
  return { kept, isGone: found === undefined && kept !== undefined };
}
