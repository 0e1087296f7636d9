import { Button, Group } from '@mantine/core';
import { useState, type ReactNode } from 'react';

interface Folded<T> {
  readonly shown: readonly T[];
  /** A button that shows all of them, or the first again; nothing where all are few. */
  readonly more: ReactNode;
}

/**
 * The first of many, so that what stands below is not pages away.
 *
 * @param what they are, in the plural: `methods`
 */
export function useFolded<T>(items: readonly T[], most: number, what: string): Folded<T> {
  const [isOpen, setOpen] = useState(false);
  const more = items.length > most && (
    <Group>
      <Button variant="subtle" size="compact-sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? `Show the first ${most} ${what}` : `Show all ${items.length} ${what}`}
      </Button>
    </Group>
  );
  return { shown: isOpen ? items : items.slice(0, most), more };
}
