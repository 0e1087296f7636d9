/** The command behind `npm run faults`; tools/faults.mjs prepares the machine and hands its arguments on. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ELSEWHERE, type Elsewhere } from './elsewhere';
import { playRow } from './play-row';
import { isWithin, type Row } from './rows/row';
import { ROWS } from './rows';
import { FaultScene } from './world/fault-scene';

const ROOT = join(__dirname, '../../..');
const print = (line: string) => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { only: { type: 'string' }, long: { type: 'boolean', default: false } } });
  const wanted = values.only?.split(',');
  const isWanted = ({ id }: { id: string }) => !wanted || wanted.includes(id);
  const [rows, elsewhere] = [ROWS.filter(isWanted), ELSEWHERE.filter(isWanted)];
  if (rows.length + elsewhere.length === 0) {
    process.stderr.write(`${values.only} names no row that is played: see docs/operations/degraded-modes.md\n`);
    return 1;
  }
  const failed = rows.length > 0 ? await playAll(rows, values.long) : 0;
  return failed + elsewhere.filter((each) => !passes(each)).length;
}

/** @returns how many were out of bounds */
async function playAll(rows: readonly Row[], long: boolean): Promise<number> {
  let failed = 0;
  const scene = await FaultScene.open();
  try {
    for (const row of rows) {
      const lastsSeconds = (long ? row.lastsSeconds?.long : row.lastsSeconds?.short) ?? 0;
      try {
        const measured = await playRow(row, { scene, lastsSeconds, say: print });
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

/** Runs the one test beside the code. */
function passes({ id, fault, file, title }: Elsewhere): boolean {
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const name = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const startedMs = performance.now();
  const { status } = spawnSync(process.execPath, [jest, file, '-t', name], { cwd: ROOT, stdio: 'ignore' });
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  const verdict = status === 0 ? 'ok' : 'FAILED';
  print([`${id.padEnd(4)} ${fault}`.padEnd(60), `"${title}" after ${seconds} s`, verdict].join('   '));
  return status === 0;
}

main().then(
  (failed) => process.exit(failed === 0 ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
