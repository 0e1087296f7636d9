/** The command behind `npm run clients -- --all`: plays every row with every operation, and writes what was seen. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readStack } from '@paymaster/devnet';
import { CLIENT_ROWS, MODES } from './client-rows';
import { playMatrix, rowId } from './matrix';
import { allOperations, type Operation } from './operations';
import { SEEN_FILE, seenOf } from './seen';

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { only: { type: 'string' }, operations: { type: 'string' } } });
  const { only = '', operations } = values;
  const rows = CLIENT_ROWS.filter((row) => JSON.stringify(row).includes(only));
  const played = await playMatrix(readStack(), {
    rows,
    planOf: ({ cannot = {}, isRepeated }) =>
      operations
        ? [operations.split(',') as Operation[]]
        : allOperations(Object.keys(cannot) as Operation[], { isRepeated }),
    atOnce: 6,
    withinMs: 50 * 60_000,
    progress: (line) => void process.stdout.write(`${line}\n`),
  });
  const seen = seenOf(rows, played);
  if (!only) writeFileSync(SEEN_FILE, `${JSON.stringify(seen, null, 1)}\n`);
  const known = new Set(rows.flatMap((row) => (row.refused ? [`${rowId(row)}, ${row.refused.mode}`] : [])));
  const refused = Object.entries(seen).flatMap(([row, modes]) =>
    MODES.filter((mode) => !known.has(`${row}, ${mode}`)).flatMap((mode) =>
      Object.entries(modes[mode].refused).map(([operation, why]) => `${row}, ${mode}, ${operation}: ${why}`),
    ),
  );
  for (const line of refused) process.stdout.write(`${line}\n`);
  process.stdout.write(`${played.length - refused.length} landed, ${refused.length} did not\n`);
  process.exitCode = refused.length > 0 ? 1 : 0;
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
