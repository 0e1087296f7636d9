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
import { restName, restOf, sumOf, type Counted } from './whole-split';

/** What the money of thirty days was spent on, the dearest first. */
export function UsageSplit() {
  const scope = useScope();
  const search = useSearch({ from: '/signed-in/a/$accountId/p/$paymasterId/' });
  const navigate = useNavigate();
  const part = partOf(search.by);
  const split = useQuery(usageSplitQuery(scope, part));
  const modes = useQuery(usageSplitQuery(scope, 'mode'));
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
        {(parts) => (
          <Load of={modes} what="All of the usage">
            {(all) =>
              all.length + parts.length === 0 ? (
                <Empty title="Nothing was spent in 30 days">The first operation that is signed appears here.</Empty>
              ) : (
                <Whole part={part} parts={parts} modes={all} />
              )
            }
          </Load>
        )}
      </Load>
    </Card>
  );
}

interface WholeProps {
  readonly part: Part;
  readonly parts: readonly Schemas['UsageView'][];
  /** Each operation once: sponsored, or paid in a token by its user. */
  readonly modes: readonly Schemas['UsageView'][];
}

/** The parts, what is in none of them, and all together. */
function Whole({ part, parts, modes }: WholeProps) {
  const { symbol } = useChain();
  const whole = sumOf(modes);
  const rest = restOf(parts, whole);
  const paid = sumOf(modes.filter(({ key }) => key === 'token'));
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        In the last 30 days, and the USD of now. An operation with several calls counts for each of them.
      </Text>
      <WideTable
        label="Parts of the usage"
        minWidth={640}
        columns={[PARTS[part], 'Signed', 'Landed', 'Reverted', 'Spent, gross', 'In USD']}
      >
        {parts.map((usage) => (
          <PartRow key={usage.key} part={part} usage={usage} />
        ))}
        {rest && <SumRow name={restName(part, parts)} sum={rest} />}
        <SumRow name="All" sum={whole} isAll />
      </WideTable>
      {paid.settled > 0 && (
        <Text size="sm" mt="xs">
          Gross: <Amount wei={whole.spentWei} symbol={symbol} />. Of it <Amount wei={paid.spentWei} symbol={symbol} />{' '}
          went to {paid.settled === 1 ? '1 operation that its user' : `${grouped(paid.settled)} operations that users`}{' '}
          paid for in tokens. Received in tokens: not recorded for {grouped(paid.settled)}, so the net is not known
          here. Each operation shows what its user paid.
        </Text>
      )}
    </>
  );
}

function SumRow({
  name,
  sum,
  isAll = false,
}: {
  readonly name: string;
  readonly sum: Counted;
  readonly isAll?: boolean;
}) {
  const { symbol } = useChain();
  return (
    <Table.Tr fw={isAll ? 700 : undefined}>
      <Table.Td>{name}</Table.Td>
      <Table.Td className="numbers">{grouped(sum.granted)}</Table.Td>
      <Table.Td className="numbers">{grouped(sum.settled)}</Table.Td>
      <Table.Td className="numbers">{grouped(sum.reverted)}</Table.Td>
      <Table.Td>
        <Amount wei={sum.spentWei} symbol={symbol} withoutUsd />
      </Table.Td>
      <Table.Td className="numbers">{sum.spentUsd && shortUsd(sum.spentUsd)}</Table.Td>
    </Table.Tr>
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
