import { playRow } from './play-row';
import type { Measured } from './rows/row';

const LATE: Measured = { what: 'recovery', value: 6, unit: 's', atMost: 5 };
const EARLY: Measured = { ...LATE, value: 1 };
const LOST: Measured = { what: 'lost', value: 1, atMost: 0 };

/** What comes of a row that measures this, play after play, and how often it was healed and said. */
async function played(...plays: Measured[][]) {
  const lines: string[] = [];
  let healed = 0;
  const row = { id: 'B0', fault: 'a fault', play: async () => plays.shift() ?? [] };
  const scene = { heal: async () => void (healed += 1) };
  const measured = await playRow(row, { scene, lastsSeconds: 0, say: (line) => lines.push(line) });
  return { measured, lines: lines.length, healed };
}

describe('playRow', () => {
  it('plays a row once that is within its bounds', async () => {
    expect(await played([EARLY])).toEqual({ measured: [EARLY], lines: 1, healed: 1 });
  });

  it('measures a time once more, and no oftener', async () => {
    expect(await played([LATE], [EARLY])).toEqual({ measured: [EARLY], lines: 2, healed: 2 });
    expect(await played([LATE], [LATE], [EARLY])).toEqual({ measured: [LATE], lines: 2, healed: 2 });
  });

  it('excuses no count, alone or beside a time', async () => {
    expect((await played([LOST], [])).measured).toEqual([LOST]);
    expect((await played([LATE, LOST], [EARLY])).measured).toEqual([LATE, LOST]);
  });
});
