import { Anchor, Card, Group, SegmentedControl, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { tokensQuery, usageSplitQuery, type Schemas } from '../../api/queries';
import { whenReachable } from '../../api/when-reachable';
import { grouped } from '../../format/amount';
import { grossText, moneyOf, netText, receivedText } from '../../format/money';
import { tokenAmount } from '../../format/token';
import { useChain, useScope } from '../../shell/use-scope';
import { Amount } from '../../ui/amount';
import { Empty } from '../../ui/empty';
import { Hex } from '../../ui/hex';
import { Load } from '../../ui/load';
import { WideTable } from '../../ui/wide-table';
import { listOf, partOf, PARTS, type Part } from './part-name';
import { useNames } from './use-names';
import { restName, restOf, sumOf, type Counted } from './whole-split';

const SplitOverTime = lazy(async () => ({
  default: (await whenReachable(() => import('./split-over-time'))).SplitOverTime,
}));

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
        <Group gap="xs" style={{ overflowX: 'auto', maxWidth: '100%' }}>
          <SegmentedControl
            size="xs"
            value={part}
            data={Object.entries(PARTS).map(([value, label]) => ({ value, label }))}
            onChange={(by) => void navigate({ to: '.', search: { ...search, by }, resetScroll: false })}
            aria-label="Split by"
          />
          <SegmentedControl
            size="xs"
            value={search.as ?? 'sums'}
            data={[
              { value: 'sums', label: 'Sums' },
              { value: 'days', label: 'Over time' },
            ]}
            onChange={(value) => {
              const as = value === 'days' ? value : undefined;
              void navigate({ to: '.', search: { ...search, as }, resetScroll: false });
            }}
            aria-label="Show as"
          />
        </Group>
      </Group>
      <Load of={split} what="The parts of the usage">
        {(parts) => (
          <Load of={modes} what="All of the usage">
            {(all) =>
              all.length + parts.length === 0 ? (
                <Empty title="Nothing was spent in 30 days">The first operation that is signed appears here.</Empty>
              ) : search.as === 'days' ? (
                <Suspense fallback={<div style={{ height: 320 }} />}>
                  <SplitOverTime part={part} />
                </Suspense>
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
  const whole = sumOf(modes);
  const rest = restOf(parts, whole);
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        In the last 30 days. Received is what users paid in tokens. USD are those of the time of each operation. An
        operation with several calls counts for each of them.
      </Text>
      <WideTable
        label="Parts of the usage"
        minWidth={760}
        columns={[PARTS[part], 'Signed', 'Landed', 'Reverted', 'Spent, gross', 'Received', 'Net']}
      >
        {parts.map((usage) => (
          <PartRow key={usage.key} part={part} usage={usage} />
        ))}
        {rest && <SumRow name={restName(part, parts)} sum={rest} />}
        <SumRow name="All" sum={whole} isAll />
      </WideTable>
      {modes.some(({ key, settled }) => key === 'token' && settled > 0) && <InTokens />}
      <NotRecorded sum={whole} />
    </>
  );
}

/** What was received, each token in its own unit. */
function InTokens() {
  const scope = useScope();
  const { data: rows = [] } = useQuery(usageSplitQuery(scope, 'token'));
  const { data: tokens } = useQuery(tokensQuery(scope));
  const paid = rows.filter(({ received = '0' }) => received !== '0');
  if (paid.length === 0) return null;
  return (
    <Text size="sm" mt="xs" className="breaks">
      Received: {paid.map((row) => `${ownUnit(row, tokens)} (${receivedText(row)})`).join(', ')}.
    </Text>
  );
}

function NotRecorded({ sum: { unpriced, unrecorded } }: { readonly sum: Counted }) {
  const operations = (count: number) => (count === 1 ? '1 operation' : `${grouped(count)} operations`);
  const said = [
    unpriced > 0 && `The price of the coin is not recorded for ${operations(unpriced)}.`,
    unrecorded > 0 && `Token, amount or rate are not recorded for ${operations(unrecorded)} that users paid for.`,
  ].filter(Boolean);
  if (said.length === 0) return null;
  return (
    <Text size="sm" mt="xs">
      {said.join(' ')} The sums in USD are without them.
    </Text>
  );
}

/** Base units where the token is not in the list of the paymaster any more. */
function ownUnit({ key, received = '0' }: Schemas['UsageView'], tokens: readonly Schemas['TokenView'][] | undefined) {
  const token = tokens?.find(({ address }) => address === key);
  return token ? tokenAmount(received, token) : `${grouped(received)} base units`;
}

interface SumRowProps {
  readonly name: string;
  readonly sum: Counted;
  readonly isAll?: boolean;
}

function SumRow({ name, sum, isAll = false }: SumRowProps) {
  return (
    <Table.Tr fw={isAll ? 700 : undefined}>
      <Table.Td>{name}</Table.Td>
      <Numbers sum={sum} />
    </Table.Tr>
  );
}

/** @param received in the token's own unit, for a row of one token */
function Numbers({ sum, received }: { readonly sum: Counted; readonly received?: string | undefined }) {
  const { symbol } = useChain();
  return (
    <>
      <Table.Td className="numbers">{grouped(sum.granted)}</Table.Td>
      <Table.Td className="numbers">{grouped(sum.settled)}</Table.Td>
      <Table.Td className="numbers">{grouped(sum.reverted)}</Table.Td>
      <Table.Td>
        <Amount wei={sum.spentWei} symbol={symbol} withoutUsd />{' '}
        <Text span size="xs" c="dimmed" className="numbers">
          {grossText(sum)}
        </Text>
      </Table.Td>
      <Table.Td className="numbers">
        {received}{' '}
        {received ? (
          <Text span size="xs" c="dimmed">
            {receivedText(sum)}
          </Text>
        ) : (
          receivedText(sum)
        )}
      </Table.Td>
      <Table.Td className="numbers">{netText(sum)}</Table.Td>
    </>
  );
}

function PartRow({ part, usage }: { readonly part: Part; readonly usage: Schemas['UsageView'] }) {
  const scope = useScope();
  const { data: tokens } = useQuery({ ...tokensQuery(scope), enabled: part === 'token' });
  const { key = '' } = usage;
  const name = useNames(part)(key);
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
      <Numbers
        sum={{ ...usage, ...moneyOf([usage]) }}
        received={part === 'token' ? ownUnit(usage, tokens) : undefined}
      />
    </Table.Tr>
  );
}
