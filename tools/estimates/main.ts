import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { landGranted } from './granted';
import { measureOperations } from './measure';
import { markdownOf, verdictOf, writePage } from './report';
import { startEstimatesWorld } from './world';

/** `npm run estimates`: the long form of estimates.integration.spec.ts. Ends with an error when a bound is missed. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { operations: { type: 'string' }, granted: { type: 'string' }, write: { type: 'boolean' } },
  });
  const tell = (line: string): void => void process.stderr.write(`${line}\n`);
  const world = await startEstimatesWorld();
  try {
    if (values.granted) {
      const granted = await landGranted(world, { count: Number(values.granted), tell });
      const failed = granted.filter(({ failure }) => failure !== undefined);
      process.stdout.write(`${granted.length} operations granted, ${failed.length} did not land\n`);
      return failed.length === 0 ? 0 : 1;
    }
    const measured = await measureOperations(world, { count: Number(values.operations ?? 400), tell });
    const markdown = markdownOf(measured, world.estimateMs);
    process.stdout.write(`${markdown}\n`);
    if (values.write) writePage(markdown);
    const missed = verdictOf(measured, world.estimateMs);
    for (const each of missed) tell(`MISSED: ${each}`);
    return missed.length === 0 ? 0 : 1;
  } finally {
    await world.stop();
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${String((error as Error).stack ?? error)}\n`);
    process.exit(1);
  },
);
