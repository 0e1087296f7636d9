import { Box, Table } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';

const ACTIONS = 'Actions';

interface Props {
  /** What is in it; the name of the region that the keyboard scrolls. */
  readonly label: string;
  readonly minWidth: number;
  /** What each column holds, at most seven. The last may be `Actions`. */
  readonly columns: readonly string[];
  /** The rows. */
  readonly children: ReactNode;
}

/**
 * A table. Where it is narrow each row becomes a list of its cells, with the names of the columns beside them
 * (`page.css`); in between it scrolls sideways.
 */
export function WideTable({ label, minWidth, columns, children }: Props) {
  const names = Object.fromEntries(columns.map((name, index) => [`--column-${index + 1}`, JSON.stringify(name)]));
  return (
    <Box className="wide-table">
      <Table.ScrollContainer minWidth={minWidth} type="native" tabIndex={0} role="region" aria-label={label}>
        <Table
          verticalSpacing="xs"
          data-has-actions={columns.at(-1) === ACTIONS || undefined}
          style={names as CSSProperties}
        >
          <Table.Thead>
            <Table.Tr>
              {columns.map((name) => (
                <Table.Th key={name}>{name}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{children}</Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Box>
  );
}
