import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { clock } from '../format/time';

/** Counts down to a time; says `now` from then on. */
export function Countdown({ untilMs }: { readonly untilMs: number }) {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useInterval(() => setNowMs(Date.now()), 1_000, { autoInvoke: true });
  const seconds = Math.ceil((untilMs - nowMs) / 1_000);
  return (
    <span role="timer" className="numbers">
      {seconds > 0 ? `in ${clock(seconds)}` : 'now'}
    </span>
  );
}
