import type { Operation } from '../api/queries';
import classes from './state-badge.module.css';

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

/** Plain elements: a long list that is scrolled makes a thousand of them a second. */
export function StateBadge({ operation }: { readonly operation: Pick<Operation, 'state' | 'success'> }) {
  const reverted = operation.success === false;
  const { name, color } = STATES[operation.state];
  const shade = `var(--mantine-color-${reverted ? 'orange' : color}-light`;
  return (
    <span className={classes.badge} style={{ background: `${shade})`, color: `${shade}-color)` }}>
      {reverted ? `${name}, reverted` : name}
    </span>
  );
}
