import { playRow } from './play-row';
import { isWithin, type Row } from './rows/row';
import { FaultScene } from './world/fault-scene';

/** A test for each row, one after the other in a world of their own. */
export function playInAWorld(rows: readonly Row[]): void {
  let scene: FaultScene;
  const lines: string[] = [];

  beforeAll(async () => {
    scene = await FaultScene.open();
  });
  afterAll(async () => {
    process.stdout.write(`${lines.join('\n')}\n`);
    await scene?.world.stop();
  });

  it.each(rows.map((row) => [row.id, row.fault, row] as const))('%s: %s', async (_id, _fault, row) => {
    const lastsSeconds = row.lastsSeconds?.short ?? 0;
    const measured = await playRow(row, { scene, lastsSeconds, say: (line) => lines.push(line) });
    expect(measured.filter((one) => !isWithin(one))).toEqual([]);
  });
}
