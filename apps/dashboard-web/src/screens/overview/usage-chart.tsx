import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme, VisuallyHidden } from '@mantine/core';
import { useEffect, useMemo, useRef } from 'react';
import UPlot from 'uplot';
import type { Schemas } from '../../api/queries';
import { localTime } from '../../format/time';
import { withoutGaps } from './without-gaps';

const HEIGHT = 260;
const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

interface Props {
  readonly usage: readonly Schemas['UsageView'][];
  readonly interval: 'hour' | 'day';
}

const LINES = [
  { key: 'settled', label: 'Landed', light: '#2b8a3e', dark: '#69db7c', dash: [] },
  { key: 'refused', label: 'Refused', light: '#c92a2a', dark: '#ff8787', dash: [6, 3] },
  { key: 'voided', label: 'Never landed', light: '#495057', dark: '#ced4da', dash: [2, 3] },
] as const;

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

/** Landed, refused and never landed operations over time; the same as a table for those who cannot see it. */
export function UsageChart({ usage, interval }: Props) {
  const points = useMemo(() => withoutGaps(usage, interval, new Date()), [usage, interval]);
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
        scales: { y: { range: (_, __, most) => [0, Math.max(most * 1.1, 4)] } },
        axes: [
          { stroke: ink, grid, values: (_, seconds) => namedTimes(seconds, interval) },
          { stroke: ink, grid, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 1e4, 1e5, 1e6], size: 56 },
        ],
        series: [
          {
            label: 'Time',
            value: (_, seconds) => (seconds == null ? '' : localTime(new Date(seconds * 1_000).toISOString())),
          },
          ...LINES.map(({ label, light, dark, dash }) => ({
            label,
            stroke: isDark ? dark : light,
            width: 2,
            dash: [...dash],
            points: { show: points.length < 60, size: 5 },
          })),
        ],
      },
      [
        points.map(({ start }) => new Date(start).getTime() / 1_000),
        ...LINES.map(({ key }) => points.map((point) => point[key])),
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
  }, [points, isDark]);
  return (
    <>
      <div ref={place} aria-hidden="true" style={{ minHeight: HEIGHT + 40 }} />
      <VisuallyHidden>
        <table>
          <caption>Operations over time</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {LINES.map(({ label }) => (
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
                {LINES.map(({ key }) => (
                  <td key={key}>{point[key]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  );
}
