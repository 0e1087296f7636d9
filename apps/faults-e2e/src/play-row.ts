import { isWithin, lineOf, type Measured, type Row } from './rows/row';
import type { FaultScene } from './world/fault-scene';

/**
 * Plays a row in a world that is well, and says its line. A time or a rate out of bounds is measured once more, for a
 * machine that stood still is no fault of the product; a count (signed, lost, held twice) is never excused.
 *
 * @returns what counts
 */
export async function playRow(
  row: Row,
  { scene, lastsSeconds, say }: { scene: Pick<FaultScene, 'heal'>; lastsSeconds: number; say: (line: string) => void },
): Promise<readonly Measured[]> {
  const play = async (): Promise<readonly Measured[]> => {
    await scene.heal();
    const measured = await row.play(scene as FaultScene, lastsSeconds);
    say(lineOf(row, measured, lastsSeconds));
    return measured;
  };
  const first = await play();
  const missed = first.filter((one) => !isWithin(one));
  return missed.length > 0 && missed.every(({ unit }) => unit !== undefined) ? play() : first;
}
