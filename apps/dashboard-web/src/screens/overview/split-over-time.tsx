import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { usagePerDayQuery, type Schemas } from '../../api/queries';
import { saveAs } from '../../browser/save-as';
import { useScope } from '../../shell/use-scope';
import { Icon } from '../../ui/icon';
import { Load } from '../../ui/load';
import { GREY, PART_COLOURS } from './colours';
import { dayLines } from './day-lines';
import { PARTS, type Part } from './part-name';
import { UsageChart } from './usage-chart';
import { usageCsv } from './usage-csv';
import { useNames } from './use-names';

/** Spending per day of the parts that cost most, in USD at the price when each operation was signed. */
export function SplitOverTime({ part }: { readonly part: Part }) {
  const scope = useScope();
  const parts = useQuery(usagePerDayQuery(scope, part));
  const modes = useQuery(usagePerDayQuery(scope, 'mode'));
  return (
    <Load of={parts} what="The costs of each day" height={320}>
      {(days) => (
        <Load of={modes} what="The costs of each day" height={320}>
          {(all) => <SplitChart part={part} days={days} all={all} />}
        </Load>
      )}
    </Load>
  );
}

interface SplitChartProps {
  readonly part: Part;
  readonly days: readonly Schemas['UsageView'][];
  /** By mode. Each operation has exactly one mode, so it counts once. */
  readonly all: readonly Schemas['UsageView'][];
}

function SplitChart({ part, days, all }: SplitChartProps) {
  const nameOf = useNames(part);
  const { starts, lines: known } = useMemo(
    () => dayLines(days, all, { now: new Date(), most: PART_COLOURS.length }),
    [days, all],
  );
  // As text, so that the chart is drawn anew only where a name changed.
  const labels = known.map(({ key }) => (key === undefined ? 'The rest' : (nameOf(key) ?? short(key)))).join('\n');
  const lines = useMemo(
    () =>
      labels.split('\n').flatMap((label, at) => {
        const line = known[at];
        if (!line) return [];
        return [{ label, values: line.values, ...((line.key !== undefined && PART_COLOURS[at]) || GREY) }];
      }),
    [known, labels],
  );
  const save = () =>
    saveAs(
      new Blob([usageCsv(days, part)], { type: 'text/csv' }),
      `usage-by-day-and-${part}-${new Date().toISOString().slice(0, 10)}.csv`,
    );
  return (
    <>
      <Group justify="space-between" mb="xs">
        <Text size="sm" c="dimmed">
          Spent, gross, in USD at the price when each operation was signed. The {PART_COLOURS.length} that cost most
          have a line each.
        </Text>
        <Button size="xs" variant="default" leftSection={<Icon name="download" size={16} />} onClick={save}>
          CSV of all days
        </Button>
      </Group>
      <UsageChart
        title={`Spent over time by ${PARTS[part].toLowerCase()}, in USD`}
        interval="day"
        {...{ starts, lines, least: 0.01 }}
      />
    </>
  );
}

/** An address or id as a legend has room for it. */
const short = (key: string): string => (key.length > 20 ? `${key.slice(0, 10)}…${key.slice(-6)}` : key);
