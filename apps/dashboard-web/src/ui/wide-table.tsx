import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** What is in it; the name of the region that the keyboard scrolls. */
  readonly label: string;
  readonly minWidth: number;
  readonly children: ReactNode;
}

/** A table that scrolls sideways where the window is narrower. */
export function WideTable({ label, minWidth, children }: Props) {
  return (
    <Table.ScrollContainer minWidth={minWidth} type="native" tabIndex={0} role="region" aria-label={label}>
      <Table verticalSpacing="xs">{children}</Table>
    </Table.ScrollContainer>
  );
}
