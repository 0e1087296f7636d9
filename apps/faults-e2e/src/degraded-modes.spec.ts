import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ELSEWHERE } from './elsewhere';
import { ROWS } from './rows';

const ROOT = join(__dirname, '../../..');
const PAGE = readFileSync(join(ROOT, 'docs/operations/degraded-modes.md'), 'utf8');
/** Rows of the fault matrix that this platform has to hold, as far as they concern what is there. */
const WANTED = [1, 2, 3, 4, 6, ...range(8, 20), 24, 25, ...range(27, 34), 38, 45, 46].map((number) => `B${number}`);

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Cells of the rows of the table under a heading. */
function tableUnder(heading: string): string[][] {
  const section = PAGE.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('docs/operations/degraded-modes.md', () => {
  const faults = tableUnder('The faults and what is promised');
  const notPlayed = tableUnder('Not played');

  it('lists every fault that is played, with its test, and no other', () => {
    const played = [
      ...ROWS.map(({ id, fault }) => [id, fault, 'faults']),
      ...ELSEWHERE.map(({ id, fault, file }) => [id, fault, file]),
    ];
    const listed = faults.map(([id, fault, , test]) => [id, fault, test!.replaceAll('`', '')]);
    expect(listed.sort()).toEqual(played.map((row) => row.map(String)).sort());
  });

  it('has every fault of the matrix, or says why not', () => {
    const known = new Set([...faults, ...notPlayed].map(([id]) => id));
    expect(WANTED.filter((id) => !known.has(id))).toEqual([]);
  });

  it('names a fault for every line of what works', () => {
    const known = new Set(faults.map(([id]) => id));
    const modes = tableUnder('What works when what is down');
    expect(modes.length).toBeGreaterThan(5);
    for (const mode of modes) {
      const ids = mode.at(-1)!.split(', ');
      expect(ids.filter((id) => !known.has(id))).toEqual([]);
    }
  });

  it.each(ELSEWHERE.map((each) => [each.id, each] as const))('%s: the test that it names is there', (_id, each) => {
    const file = join(ROOT, each.file);
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain(each.title);
  });
});
