import { Anchor, Card, Group, SegmentedControl, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { contractsQuery, policiesQuery, usageSplitQuery, type Schemas } from '../../api/queries';
import { grouped } from '../../format/amount';
import { shortUsd } from '../../format/usd';
import { useChain, useScope } from '../../shell/use-scope';
import { Amount } from '../../ui/amount';
import { Empty } from '../../ui/empty';
import { Hex } from '../../ui/hex';
import { Load } from '../../ui/load';
import { WideTable } from '../../ui/wide-table';
import { listOf, partName, partOf, PARTS, type Part } from './part-name';

/** What the money of thirty days was spent on, the dearest first. */
export function UsageSplit() {
  const scope = useScope();
  const search = useSearch({ from: '/signed-in/a/$accountId/p/$paymasterId/' });
  const navigate = useNavigate();
  const part = partOf(search.by);
  const split = useQuery(usageSplitQuery(scope, part));
  return (
    <Card>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          What it was spent on
        </Title>
        <SegmentedControl
          size="xs"
          value={part}
          data={Object.entries(PARTS).map(([value, label]) => ({ value, label }))}
          onChange={(by) => void navigate({ to: '.', search: { ...search, by }, resetScroll: false })}
          aria-label="Split by"
        />
      </Group>
      <Load of={split} what="The parts of the usage">
        {(parts) =>
          parts.length === 0 ? (
            <Empty title="Nothing was spent in 30 days">The first operation that is signed appears here.</Empty>
          ) : (
            <>
              <Text size="sm" c="dimmed" mb="xs">
                In the last 30 days, and the USD of now. An operation with several calls counts for each of them.
              </Text>
              <WideTable
                label="Parts of the usage"
                minWidth={640}
                columns={[PARTS[part], 'Signed', 'Landed', 'Reverted', 'Spent', 'In USD']}
              >
                {parts.map((usage) => (
                  <PartRow key={usage.key} part={part} usage={usage} />
                ))}
              </WideTable>
            </>
          )
        }
      </Load>
    </Card>
  );
}

function PartRow({ part, usage }: { readonly part: Part; readonly usage: Schemas['UsageView'] }) {
  const scope = useScope();
  const { symbol } = useChain();
  const { data: contracts = [] } = useQuery(contractsQuery(scope));
  const { data: policies = [] } = useQuery({ ...policiesQuery(scope), enabled: part === 'policy' });
  const { key = '', granted, settled, reverted, spentWei, spentUsd } = usage;
  const name = partName(part, key, { contracts, policies });
  const list = listOf(part, key);
  return (
    <Table.Tr>
      <Table.Td className="breaks">
        {name ?? <Hex value={key} of={PARTS[part].toLowerCase()} />}{' '}
        {list && (
          <Anchor
            component={Link}
            to={`/a/${scope.accountId}/p/${scope.paymasterId}${list}`}
            size="sm"
            aria-label={`Operations of ${name ?? key}`}
          >
            operations
          </Anchor>
        )}
      </Table.Td>
      <Table.Td className="numbers">{grouped(granted)}</Table.Td>
      <Table.Td className="numbers">{grouped(settled)}</Table.Td>
      <Table.Td className="numbers">{grouped(reverted)}</Table.Td>
      <Table.Td>
        <Amount wei={spentWei} symbol={symbol} withoutUsd />
      </Table.Td>
      <Table.Td className="numbers">{spentUsd && shortUsd(spentUsd)}</Table.Td>
    </Table.Tr>
  );
}
