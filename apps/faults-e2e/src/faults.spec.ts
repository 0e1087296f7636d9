import { isWithin, lineOf } from './row';
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
// A row begins in a world that is well, whatever the one before it left.
beforeEach(() => scene.heal());

it.each(ROWS.map((row) => [row.id, row.fault, row] as const))('%s: %s', async (_id, _fault, row) => {
  const lastsSeconds = row.lastsSeconds?.short ?? 0;
  const measured = await row.play(scene, lastsSeconds);
  lines.push(lineOf(row, measured, lastsSeconds));
  expect(measured.filter((one) => !isWithin(one))).toEqual([]);
});
