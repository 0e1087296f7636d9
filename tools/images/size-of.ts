import { spawnSync } from 'node:child_process';

/** How much a folder holds, for people: `713 MB`. */
export function sizeOf(folder: string): string {
  const { stdout } = spawnSync('du', ['-sk', folder], { encoding: 'utf8' });
  return `${Math.round(Number.parseInt(stdout, 10) / 1_024)} MB`;
}
