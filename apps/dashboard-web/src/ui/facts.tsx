import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

/** The name of a fact, and the fact. */
export type Fact = readonly [string, ReactNode];

/** Facts below each other, their names on the left. */
export function Facts({ rows }: { readonly rows: readonly Fact[] }) {
  return (
    <Table variant="vertical" withRowBorders={false} verticalSpacing={4}>
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w={150} style={{ background: 'none' }}>
              {name}
            </Table.Th>
            <Table.Td className="breaks">{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
