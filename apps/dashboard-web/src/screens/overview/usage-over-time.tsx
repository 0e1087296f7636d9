import { Button, Card, Group, SegmentedControl, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Schemas } from '../../api/queries';
import { saveAs } from '../../browser/save-as';
import { Icon } from '../../ui/icon';
import { gasPriceGwei } from './gas-price';
import { GREEN, GREY, PART_COLOURS, RED } from './colours';
import { UsageChart } from './usage-chart';
import { usageCsv } from './usage-csv';
import { withoutGaps } from './without-gaps';

interface Props {
  readonly usage: readonly Schemas['UsageView'][];
  readonly interval: 'hour' | 'day';
}

/** What is drawn. */
const MEASURES = {
  operations: {
    title: 'Operations over time',
    lines: [
      { key: 'settled', label: 'Landed', ...GREEN },
      { key: 'refused', label: 'Refused', ...RED },
      { key: 'voided', label: 'Never landed', ...GREY },
    ],
    least: 4,
    steps: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 1e4, 1e5, 1e6],
  },
  money: {
    title: 'Money over time, in USD of each operation’s time',
    lines: [
      { key: 'spentUsd', label: 'Spent, gross', ...RED },
      { key: 'receivedUsd', label: 'Received in tokens', ...GREEN },
      { key: 'netUsd', label: 'Net', ...GREY },
    ],
    least: 0.01,
    steps: undefined,
  },
  gas: {
    title: 'Gas price paid over time, in gwei',
    lines: [{ key: 'gasPrice', label: 'Gas price paid, in gwei', ...PART_COLOURS[0] }],
    least: 0.001,
    steps: undefined,
  },
} as const;

const HEADINGS = {
  operations: 'Operations over time',
  money: 'Money over time, in USD',
  gas: 'Gas price paid, in gwei',
} as const;

/** What landed and what was refused, what was spent and received, or what gas cost, hour by hour or day by day. */
export function UsageOverTime({ usage, interval }: Props) {
  const search = useSearch({ from: '/signed-in/a/$accountId/p/$paymasterId/' });
  const navigate = useNavigate();
  const points = useMemo(() => withoutGaps(usage, interval, new Date()), [usage, interval]);
  const measure = search.chart ?? 'operations';
  const { title, least, steps } = MEASURES[measure];
  const starts = useMemo(() => points.map(({ start }) => start), [points]);
  const lines = useMemo(
    () =>
      MEASURES[measure].lines.map(({ key, ...line }) => ({
        ...line,
        values: points.map((point) => (key === 'gasPrice' ? gasPriceGwei(point) : `${point[key]}`)),
      })),
    [points, measure],
  );
  const save = () => {
    const name = `usage-by-${interval}-${new Date().toISOString().slice(0, 10)}.csv`;
    saveAs(new Blob([usageCsv(points)], { type: 'text/csv' }), name);
  };
  return (
    <Card>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {HEADINGS[measure]}
        </Title>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            value={measure}
            data={[
              { value: 'operations', label: 'Operations' },
              { value: 'money', label: 'Money' },
              { value: 'gas', label: 'Gas price' },
            ]}
            onChange={(value) => {
              const chart = value === 'money' || value === 'gas' ? value : undefined;
              void navigate({ to: '.', search: { ...search, chart }, resetScroll: false });
            }}
            aria-label="Chart of"
          />
          <Button size="xs" variant="default" leftSection={<Icon name="download" size={16} />} onClick={save}>
            CSV of the chart
          </Button>
        </Group>
      </Group>
      <UsageChart {...{ title, starts, interval, lines, least }} steps={steps && [...steps]} />
    </Card>
  );
}
