import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { MOST_RETURNED, searchEverywhere } from './search';

/** `npm run siphon`: the long form of siphon.integration.spec.ts. Ends with an error when a bound is passed. */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { plans: { type: 'string' }, seed: { type: 'string' } } });
  const tell = (line: string): void => void process.stdout.write(`${line}\n`);
  const searched = await searchEverywhere({ plans: Number(values.plans ?? 120), seed: Number(values.seed ?? 1), tell });
  const most = (kind: 'one' | 'many'): number => Math.max(...searched[kind].map(({ haul }) => haul.multiple));
  tell(`${searched.landedOperations} operations landed`);
  tell(`bundles of one: at most ${most('one').toFixed(3)} of ${MOST_RETURNED.one.toFixed(2)}`);
  tell(`larger bundles: at most ${most('many').toFixed(3)} of ${MOST_RETURNED.many.toFixed(2)}`);
  return most('one') <= MOST_RETURNED.one && most('many') <= MOST_RETURNED.many ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${String((error as Error).stack ?? error)}\n`);
    process.exit(1);
  },
);
