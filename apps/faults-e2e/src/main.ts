/** The command behind `npm run faults`; tools/faults.mjs prepares the machine and hands its arguments on. */
import { parseArgs } from 'node:util';
import { isWithin, lineOf } from './row';
import { ROWS } from './rows';
import { FaultScene } from './world/fault-scene';

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { only: { type: 'string' }, long: { type: 'boolean', default: false } } });
  const wanted = values.only?.split(',');
  const rows = ROWS.filter(({ id }) => !wanted || wanted.includes(id));
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  let failed = 0;
  const scene = await FaultScene.open();
  try {
    for (const row of rows) {
      const lastsSeconds = (values.long ? row.lastsSeconds?.long : row.lastsSeconds?.short) ?? 0;
      try {
        await scene.heal();
        const measured = await row.play(scene, lastsSeconds);
        print(lineOf(row, measured, lastsSeconds));
        if (!measured.every(isWithin)) failed += 1;
      } catch (error) {
        failed += 1;
        print(`${row.id.padEnd(4)} ${row.fault}   FAILED: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  } finally {
    await scene.world.stop();
  }
  return failed;
}

main().then(
  (failed) => process.exit(failed === 0 ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
