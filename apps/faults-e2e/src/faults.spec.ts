import { playRow } from './play-row';
import { isWithin } from './rows/row';
import { ROWS } from './rows';
import { FaultScene } from './world/fault-scene';

let scene: FaultScene;
const lines: string[] = [];

beforeAll(async () => {
  scene = await FaultScene.open();
});
afterAll(async () => {
  process.stdout.write(`${lines.join('\n')}\n`);
  await scene?.world.stop();
});

it.each(ROWS.map((row) => [row.id, row.fault, row] as const))('%s: %s', async (_id, _fault, row) => {
  const lastsSeconds = row.lastsSeconds?.short ?? 0;
  const measured = await playRow(row, { scene, lastsSeconds, say: (line) => lines.push(line) });
  expect(measured.filter((one) => !isWithin(one))).toEqual([]);
});
