import { cpSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { IsIgnored } from './docker-ignore';
import type { StepOf } from './dockerfile';

export interface CopyPlaces {
  /** The folder that the step's sources are in: the build context, or an earlier stage. */
  readonly source: string;
  /** Where the step's target is on this machine. */
  readonly target: string;
  /** What of the sources is kept out. */
  readonly isIgnored: IsIgnored;
}

/**
 * COPY, as Docker does it: of a folder its content, of a file the file.
 *
 * @throws when a source is not there, or kept out by .dockerignore
 */
export function copyStep(step: StepOf<'COPY'>, { source, target, isIgnored }: CopyPlaces): void {
  const { line, sources } = step;
  for (const name of sources) {
    const from = join(source, name);
    if (!existsSync(from)) throw new Error(`line ${line}: COPY ${name}: there is no such file or folder`);
    if (isIgnored(name)) throw new Error(`line ${line}: COPY ${name}: .dockerignore keeps it out`);
    const intoFolder = !statSync(from).isDirectory() && step.target.endsWith('/');
    const to = intoFolder ? join(target, basename(name)) : target;
    mkdirSync(dirname(to), { recursive: true });
    cpSync(from, to, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !isIgnored(relative(source, path)),
    });
  }
}
