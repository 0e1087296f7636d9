import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme, VisuallyHidden } from '@mantine/core';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { groupedDecimal } from '../../format/amount';
import { localTime } from '../../format/time';

const HEIGHT = 260;
const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** One line; every digit of what is drawn stands in the legend and in the table. */
export interface Line {
  readonly label: string;
  /** The colour in each scheme. */
  readonly light: string;
  readonly dark: string;
  readonly dash: readonly number[];
  /** Decimal text, for each point; empty where there is none. */
  readonly values: readonly string[];
}

interface Props {
  readonly title: string;
  /** When each hour or day starts. */
  readonly starts: readonly string[];
  readonly interval: 'hour' | 'day';
  /** A new list is drawn anew. */
  readonly lines: readonly Line[];
  /** How far the scale goes at least. */
  readonly least: number;
  /** Its steps; uPlot's own where absent. */
  readonly steps?: number[] | undefined;
}

const shown = (value: string | undefined): string => (!value ? '' : groupedDecimal(value));

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

/** Lines over time; the same as a table for those who cannot see it. */
export function UsageChart({ title, starts, interval, lines, least, steps }: Props) {
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
          ...lines.map(({ label, light, dark, dash, values }) => ({
            label,
            value: (_: UPlot, __: number, ___: number, at: number | null | undefined) =>
              at == null ? '' : shown(values[at]),
            stroke: isDark ? dark : light,
            width: 2,
            dash: [...dash],
            points: { show: starts.length < 60, size: 5 },
          })),
        ],
      },
      [
        starts.map((start) => new Date(start).getTime() / 1_000),
        ...lines.map(({ values }) => values.map((value) => (value === '' ? null : Number(value)))),
      ],
      element,
    );
    const showNewest = () => chart.setLegend({ idx: starts.length - 1 }, false);
    showNewest();
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [starts, lines, isDark]);
  return (
    <>
      <div ref={place} aria-hidden="true" style={{ minHeight: HEIGHT + 40 }} />
      <VisuallyHidden>
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {lines.map(({ label }, line) => (
                <th key={line} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {starts.map((start, at) => (
              <tr key={start}>
                <th scope="row">{start}</th>
                {lines.map(({ values }, line) => (
                  <td key={line}>{shown(values[at])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  );
}
