import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientRow, Mode } from './client-rows';
import { rowId, type Played } from './matrix';
import type { Operation } from './operations';

/** What the last run of the whole matrix saw. */
export const SEEN_FILE = join(__dirname, 'what-landed.json');

export interface SeenRow {
  readonly landed: readonly Operation[];
  /** Why not, by operation: what the client said. */
  readonly refused: Readonly<Partial<Record<Operation, string>>>;
}

export type Seen = Readonly<Record<string, Readonly<Record<Mode, SeenRow>>>>;

export const readSeen = (): Seen => JSON.parse(readFileSync(SEEN_FILE, 'utf8')) as Seen;

export function seenOf(rows: readonly ClientRow[], played: readonly Played[]): Seen {
  const of = (row: ClientRow, wanted: Mode): SeenRow => {
    const ofRow = played.filter((each) => each.row === row && each.mode === wanted);
    return {
      landed: ofRow
        .filter(({ outcome }) => 'returned' in outcome)
        .map(({ operation }) => operation)
        .sort(),
      refused: Object.fromEntries(
        ofRow.flatMap(({ operation, outcome }) =>
          'thrown' in outcome ? [[operation, shortened(outcome.thrown.message)]] : [],
        ),
      ),
    };
  };
  return Object.fromEntries(
    rows.map((row) => [rowId(row), { sponsored: of(row, 'sponsored'), token: of(row, 'token') }]),
  );
}

/** Clients of viem show the whole request first. */
const shortened = (message: string) =>
  (/Details: (.*)/.exec(message)?.[1] ?? message).replace(/\s+/g, ' ').slice(0, 300);
