import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { copyStep } from './copy-step';
import { parseDockerIgnore, type IsIgnored } from './docker-ignore';
import { parseDockerfile, type Stage, type Step } from './dockerfile';
import { runInStage, removesOnlyFromBase } from './run-in-stage';
import { sizeOf } from './size-of';

/** The last stage of a Dockerfile, made in a folder. */
export interface BuiltImage {
  /** The folder that stands for `/` of the image; what the base brings is not in it. */
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

export interface BuildOptions {
  readonly app: string;
  /** The build context. */
  readonly context: string;
  /** An empty folder outside of the context; stages that several apps have in common are made in it once. */
  readonly folder: string;
  /** Told what was done, one line at a time. */
  readonly say: (line: string) => void;
}

/** A stage as far as it is made. */
type MadeStage = { -readonly [Key in keyof BuiltImage]: BuiltImage[Key] };

/** What a step may need to know. */
interface StageContext {
  readonly context: string;
  readonly isIgnored: IsIgnored;
  readonly earlier: ReadonlyMap<string, MadeStage>;
}

/** Makes the images of several apps; a stage that says the same in several Dockerfiles is made once. */
export class ImageBuilder {
  private readonly shared = new Map<string, MadeStage>();

  /**
   * Makes `docker/<app>.Dockerfile` without a container engine: each stage is a folder, and its RUN commands are
   * plain commands in there, which know nothing of this machine but its Node, its npm and npm's cache.
   *
   * @throws when the Dockerfile holds what is not understood, or a command fails; the message ends with its output
   */
  async build({ app, context, folder, say }: BuildOptions): Promise<BuiltImage> {
    const stages = parseDockerfile(readFileSync(join(context, `docker/${app}.Dockerfile`), 'utf8'));
    const isIgnored = parseDockerIgnore(readFileSync(join(context, '.dockerignore'), 'utf8'));
    const earlier = new Map<string, MadeStage>();
    let last: MadeStage | undefined;
    for (const [index, stage] of stages.entries()) {
      const name = stage.name ?? 'image';
      const content = onlyFromContext(stage, earlier) ? contentOf(stage) : undefined;
      last = content === undefined ? undefined : this.shared.get(content);
      if (last) {
        say(`same  ${app} ${name}: is made already`);
      } else {
        const root = join(folder, `${app}-${index}-${name}`);
        const tell = (line: string) => say(`ok    ${app} ${name}: ${line}`);
        last = await makeStage(stage, { root, about: { context, isIgnored, earlier }, tell });
      }
      if (content !== undefined) this.shared.set(content, last);
      earlier.set(name, last);
    }
    return last as BuiltImage;
  }
}

function onlyFromContext(stage: Stage, earlier: ReadonlyMap<string, MadeStage>): boolean {
  return !earlier.has(stage.from) && stage.steps.every((step) => step.kind !== 'COPY' || step.from === undefined);
}

function contentOf({ from, steps }: Stage): string {
  return JSON.stringify([from, steps.map((step) => ({ ...step, line: 0 }))]);
}

async function makeStage(
  { from, steps }: Stage,
  { root, about, tell }: { root: string; about: StageContext; tell: (line: string) => void },
): Promise<MadeStage> {
  mkdirSync(root, { recursive: true });
  const base = about.earlier.get(from);
  // Links in place of copies: a stage adds to what it begins with and changes nothing of it.
  if (base) execFileSync('cp', ['-al', `${base.root}/.`, root]);
  const made: MadeStage = base
    ? { ...base, root, env: { ...base.env } }
    : { root, workdir: '/', env: {}, user: '0:0', command: [], healthcheck: [] };
  for (const step of steps) {
    const started = Date.now();
    const done = await makeStep(step, made, about);
    if (done) tell(`${done} (${((Date.now() - started) / 1_000).toFixed(1)} s, ${sizeOf(root)})`);
  }
  return made;
}

/** @returns what was done, for a step that does more than describe the image */
async function makeStep(step: Step, made: MadeStage, about: StageContext): Promise<string | undefined> {
  switch (step.kind) {
    case 'WORKDIR':
      made.workdir = step.path;
      mkdirSync(join(made.root, step.path), { recursive: true });
      return undefined;
    case 'ENV':
      made.env = { ...made.env, ...step.values };
      return undefined;
    case 'USER':
      made.user = step.user;
      return undefined;
    case 'CMD':
      made.command = step.command;
      return undefined;
    case 'HEALTHCHECK':
      made.healthcheck = step.command;
      return undefined;
    case 'ARG':
    case 'LABEL':
    case 'EXPOSE':
      return undefined;
    case 'COPY': {
      const from = step.from === undefined ? undefined : about.earlier.get(step.from);
      if (step.from !== undefined && !from) throw new Error(`line ${step.line}: there is no stage ${step.from}`);
      copyStep(step, {
        source: from?.root ?? about.context,
        target: join(made.root, posix.resolve(made.workdir, step.target)),
        isIgnored: from ? () => false : about.isIgnored,
      });
      return `COPY ${step.sources.join(' ')}`;
    }
    case 'RUN':
      if (removesOnlyFromBase(step.command)) return `left out, for it only removes files of the base: ${step.command}`;
      await runInStage(step.command, { cwd: join(made.root, made.workdir), env: made.env });
      return `RUN ${step.command}`;
  }
}
