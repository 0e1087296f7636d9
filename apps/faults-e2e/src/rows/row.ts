import type { FaultScene } from '../world/fault-scene';

/** One number of a row and the bound it has to keep. */
export interface Measured {
  readonly what: string;
  readonly value: number;
  /** Written behind numbers: `s`, `%`, or nothing. */
  readonly unit?: string;
  readonly atMost?: number;
  readonly atLeast?: number;
  /** What was counted, each kind once. */
  readonly counted?: readonly string[];
}

/** A row of the fault matrix that this suite plays. */
export interface Row {
  /** As in docs/operations/degraded-modes.md: `B11`. */
  readonly id: string;
  /** The fault, as a person says it. */
  readonly fault: string;
  /** How long it lasts here, and in `--long`; seconds. Rows without it take what they take. */
  readonly lastsSeconds?: { readonly short: number; readonly long: number };
  /** Has the fault happen and heals it again, whatever comes. */
  play(scene: FaultScene, lastsSeconds: number): Promise<readonly Measured[]>;
}

export const isWithin = ({ value, atMost = Infinity, atLeast = -Infinity }: Measured): boolean =>
  value <= atMost && value >= atLeast;

/** The line of a row: `B11  NATS down (20 s for 900 s)   RPC success 100 % (>= 99.9 %)   ok`. */
export function lineOf(row: Row, measured: readonly Measured[], lastsSeconds: number): string {
  const { id, fault, lastsSeconds: lasts } = row;
  const scaled = lasts && lastsSeconds < lasts.long ? ` (${lastsSeconds} s for ${lasts.long} s)` : '';
  const numbers = measured.map((one) => {
    const bounds = [
      one.atLeast === undefined ? [] : [`>= ${text(one.atLeast, one)}`],
      one.atMost === undefined ? [] : [`<= ${text(one.atMost, one)}`],
    ].flat();
    const bound = one.atLeast === one.atMost ? `= ${text(one.atLeast ?? 0, one)}` : bounds.join(', ');
    return `${one.what} ${text(one.value, one)} (${bound})`;
  });
  const verdict = measured.every(isWithin) ? 'ok' : 'OUT OF BOUNDS';
  return [`${id.padEnd(4)} ${fault}${scaled}`.padEnd(60), ...numbers, verdict].join('   ');
}

function text(value: number, { unit }: Measured): string {
  const digits = Number.isInteger(value) ? 0 : value < 10 ? 2 : 1;
  return `${value.toFixed(digits)}${unit === undefined ? '' : ` ${unit}`}`;
}
