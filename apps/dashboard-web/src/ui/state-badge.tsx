import { Badge } from '@mantine/core';
import type { Operation } from '../api/queries';

interface Shown {
  readonly name: string;
  readonly color: string;
  readonly means: string;
}

/** What the page calls a state, its colour, and what it means to a paymaster. */
export const STATES: Readonly<Record<Operation['state'], Shown>> = {
  granted: { name: 'signed', color: 'blue', means: 'Signed, and in no block yet.' },
  refused: { name: 'refused', color: 'red', means: 'The gateway refused it: it signed nothing.' },
  landed: { name: 'landed', color: 'cyan', means: 'It landed; its block is not final yet.' },
  settled: { name: 'final', color: 'green', means: 'It landed in a block that is final now, and is paid.' },
  voided: { name: 'never landed', color: 'gray', means: 'Signed, but it never landed. It cost nothing.' },
};

export function StateBadge({ operation }: { readonly operation: Pick<Operation, 'state' | 'success'> }) {
  const reverted = operation.success === false;
  const { name, color } = STATES[operation.state];
  return (
    <Badge variant="light" color={reverted ? 'orange' : color} tt="none">
      {reverted ? `${name}, reverted` : name}
    </Badge>
  );
}
