import { Badge } from '@mantine/core';
import type { Operation } from '../api/queries';

/** What a state means to a paymaster, and its colour. */
export const STATES: Readonly<Record<Operation['state'], { readonly color: string; readonly means: string }>> = {
  granted: { color: 'blue', means: 'Signed; not on chain yet.' },
  refused: { color: 'red', means: 'The gateway said no.' },
  landed: { color: 'cyan', means: 'On chain; its block is not final yet.' },
  settled: { color: 'green', means: 'On chain in a final block, and paid.' },
  voided: { color: 'gray', means: 'Signed, but it never landed. It cost nothing.' },
};

export function StateBadge({ operation }: { readonly operation: Pick<Operation, 'state' | 'success'> }) {
  const reverted = operation.success === false;
  return (
    <Badge variant="light" color={reverted ? 'orange' : STATES[operation.state].color} tt="none">
      {reverted ? `${operation.state}, reverted` : operation.state}
    </Badge>
  );
}
