import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { describeFound, searchEverywhere, searchRollup } from './search';
import { ROLLUPS } from './siphon-l1';

/** `npm run siphon`: the long form of siphon.integration.spec.ts. Ends with an error when a bound is passed. */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { plans: { type: 'string' }, seed: { type: 'string' } } });
  const tell = (line: string): void => void process.stdout.write(`${line}\n`);
  const effort = { plans: Number(values.plans ?? 30), seed: Number(values.seed ?? 1), tell };
  const { found, landedOperations } = await searchEverywhere(effort);
  tell(`${landedOperations} operations landed, highest returns found:`);
  for (const kind of new Set(found.map((each) => each.kind))) {
    const [highest] = found.filter((each) => each.kind === kind).sort((one, other) => other.multiple - one.multiple);
    if (highest) tell(`  ${describeFound(highest)}`);
  }
  const onRollups = [];
  for (const rollup of ROLLUPS) onRollups.push(...(await searchRollup(rollup, effort)).found);
  const passed = [...found, ...onRollups].filter(({ multiple, most }) => multiple > most);
  for (const each of passed) tell(`BOUND PASSED: ${describeFound(each)}`);
  return passed.length === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${String((error as Error).stack ?? error)}\n`);
    process.exit(1);
  },
);
