/** The race in its long form: `npm run test:race`. Settings are environment variables, made by tools/test-race.mjs. */
import { startPostgres } from '@paymaster/devnet';
import { runRace } from './run-race';

const SHOWN = 30;
const [seed, reservations, gateways] = ['RACE_SEED', 'RACE_RESERVATIONS', 'RACE_PROCESSES'].map((name) =>
  Number(process.env[name]),
) as [number, number, number];
const write = (line: string): void => void process.stdout.write(`${line}\n`);

const ended = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ended.abort());

async function main(): Promise<void> {
  write(`seed ${seed}: ${reservations} reservations by ${gateways} gateways`);
  const postgres = await startPostgres();
  try {
    const { findings, counts } = await runRace({
      postgresUrl: postgres.url,
      ...{ seed, reservations, gateways, onProgress: write, signal: ended.signal },
    });
    for (const [what, count] of Object.entries(counts)) write(`${what.padEnd(14)} ${JSON.stringify(count)}`);
    for (const { what, found } of findings.slice(0, SHOWN)) write(`WRONG  ${what}: ${found}`);
    write(findings.length === 0 ? `seed ${seed}: every limit held` : `seed ${seed}: ${findings.length} findings`);
    process.exitCode = findings.length === 0 ? 0 : 1;
  } finally {
    await postgres.stop();
  }
}

void main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error)?.stack ?? String(error)}\n`);
  process.exitCode = 1;
});
