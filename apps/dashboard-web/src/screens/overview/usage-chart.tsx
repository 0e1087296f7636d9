import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme, VisuallyHidden } from '@mantine/core';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import type { Schemas } from '../../api/queries';
import { grouped, groupedDecimal } from '../../format/amount';
import { localTime } from '../../format/time';

const HEIGHT = 260;
const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

interface Props {
  /** Each hour or day. */
  readonly points: readonly Schemas['UsageView'][];
  readonly interval: 'hour' | 'day';
  readonly measure: Measure;
}

export type Measure = 'operations' | 'money';

const [GREEN, RED, GREY] = [
  { light: '#2b8a3e', dark: '#69db7c', dash: [] },
  { light: '#c92a2a', dark: '#ff8787', dash: [6, 3] },
  { light: '#495057', dark: '#ced4da', dash: [2, 3] },
];

interface Drawn {
  readonly title: string;
  readonly lines: readonly {
    readonly key: 'settled' | 'refused' | 'voided' | 'spentUsd' | 'receivedUsd' | 'netUsd';
    readonly label: string;
    readonly light: string;
    readonly dark: string;
    readonly dash: readonly number[];
  }[];
  /** How far the scale goes at least. */
  readonly least: number;
  /** Its steps; uPlot's own where absent. */
  readonly steps?: number[];
}

/** Every digit of what is drawn stands in the legend and in the table. */
const MEASURES: Readonly<Record<Measure, Drawn>> = {
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
  },
};

function shown(point: Schemas['UsageView'] | undefined, key: Drawn['lines'][number]['key']): string {
  const value = point?.[key] ?? '';
  return typeof value === 'number' ? grouped(value) : groupedDecimal(value);
}

/** The reader's own time of each mark: its hour, and its day where the day begins; or its day only. */
function namedTimes(seconds: readonly number[], interval: Props['interval']): string[] {
  let before = '';
  return seconds.map((each) => {
    const time = new Date(each * 1_000);
    const day = DAY.format(time);
    if (interval === 'day') return day;
    const isNewDay = day !== before;
    before = day;
    return isNewDay ? `${HOUR.format(time)}\n${day}` : HOUR.format(time);
  });
}

/** Operations or money over time; the same as a table for those who cannot see it. */
export function UsageChart({ points, interval, measure }: Props) {
  const { title, lines, least, steps } = MEASURES[measure];
  const place = useRef<HTMLDivElement>(null);
  const isDark = useComputedColorScheme('light') === 'dark';
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const ink = isDark ? '#c9c9c9' : '#495057';
    const grid = { stroke: isDark ? '#3b3b3b' : '#e9ecef', width: 1 };
    const chart = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        cursor: { y: false },
        legend: { live: true },
        // Where no pointer is on the chart, its legend says what is newest.
        hooks: { setCursor: [({ cursor }) => cursor.idx == null && showNewest()] },
        scales: {
          y: { range: (_, fewest, most) => [Math.min(fewest * 1.1, 0), Math.max(most * 1.1, least)] },
        },
        axes: [
          { stroke: ink, grid, values: (_, seconds) => namedTimes(seconds, interval) },
          { stroke: ink, grid, size: 72, ...(steps && { incrs: steps }) },
        ],
        series: [
          {
            label: 'Time',
            value: (_, seconds) => (seconds == null ? '' : localTime(new Date(seconds * 1_000).toISOString())),
          },
          ...lines.map(({ key, label, light, dark, dash }) => ({
            label,
            value: (_: UPlot, __: number, ___: number, at: number | null | undefined) =>
              at == null ? '' : shown(points[at], key),
            stroke: isDark ? dark : light,
            width: 2,
            dash: [...dash],
            points: { show: points.length < 60, size: 5 },
          })),
        ],
      },
      [
        points.map(({ start }) => new Date(start).getTime() / 1_000),
        ...lines.map(({ key }) => points.map((point) => Number(point[key]))),
      ],
      element,
    );
    const showNewest = () => chart.setLegend({ idx: points.length - 1 }, false);
    showNewest();
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [points, isDark, measure]);
  return (
    <>
      <div ref={place} aria-hidden="true" style={{ minHeight: HEIGHT + 40 }} />
      <VisuallyHidden>
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {lines.map(({ label }) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points.map((point) => (
              <tr key={point.start}>
                <th scope="row">{point.start}</th>
                {lines.map(({ key }) => (
                  <td key={key}>{shown(point, key)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  );
}
