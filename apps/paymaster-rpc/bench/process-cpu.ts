import { readFileSync } from 'node:fs';

/** Clock ticks per second in /proc; 100 on every Linux this runs on. */
const TICKS_PER_SECOND = 100;

/** CPU time that a process has used so far, user and system; seconds. Zero where there is no /proc, or no process. */
export function cpuSecondsOf(pid: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}
