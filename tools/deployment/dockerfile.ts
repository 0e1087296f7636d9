/** One instruction of a Dockerfile; `line` counts from 1. */
export type Step = { readonly line: number } & (
  | { readonly kind: 'WORKDIR'; readonly path: string }
  | { readonly kind: 'COPY'; readonly from?: string; readonly sources: readonly string[]; readonly target: string }
  | { readonly kind: 'RUN'; readonly command: string }
  | { readonly kind: 'ENV'; readonly values: Readonly<Record<string, string>> }
  | { readonly kind: 'LABEL'; readonly values: Readonly<Record<string, string>> }
  | { readonly kind: 'ARG'; readonly name: string; readonly value: string | undefined }
  | { readonly kind: 'USER'; readonly user: string }
  | { readonly kind: 'EXPOSE'; readonly ports: readonly string[] }
  | { readonly kind: 'HEALTHCHECK'; readonly command: readonly string[] }
  | { readonly kind: 'CMD'; readonly command: readonly string[] }
);

export type StepOf<Kind extends Step['kind']> = Extract<Step, { kind: Kind }>;

export interface Stage {
  readonly line: number;
  /** An image, or the name of an earlier stage. */
  readonly from: string;
  readonly name?: string;
  readonly steps: readonly Step[];
}

/** A Dockerfile uses something that is not understood here, and so could not be checked. */
export class DockerfileError extends Error {
  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`);
    this.name = 'DockerfileError';
  }
}

/**
 * Reads the part of the Dockerfile language that is used here.
 *
 * @throws {DockerfileError} at the first instruction, flag or form that is not known
 */
export function parseDockerfile(text: string): Stage[] {
  const stages: Array<Stage & { steps: Step[] }> = [];
  for (const { line, keyword, rest } of instructions(text)) {
    if (keyword === 'FROM') {
      const [from, as, name, ...more] = rest.split(/\s+/);
      const named = as?.toUpperCase() === 'AS' && name !== undefined && more.length === 0;
      if (!from || from.startsWith('--') || from.includes('$') || (as !== undefined && !named)) {
        throw new DockerfileError(line, `"FROM ${rest}" is not "FROM image" or "FROM image AS stage"`);
      }
      stages.push({ line, from, ...(named && { name }), steps: [] });
      continue;
    }
    const stage = stages.at(-1);
    if (!stage) throw new DockerfileError(line, `${keyword} comes before FROM`);
    stage.steps.push(step(line, keyword, rest));
  }
  if (stages.length === 0) throw new DockerfileError(1, 'there is no FROM');
  return stages;
}

/** The steps of one kind, in their order. */
export function stepsOf<Kind extends Step['kind']>(stage: Stage, kind: Kind): Array<StepOf<Kind>> {
  return stage.steps.filter((each): each is StepOf<Kind> => each.kind === kind);
}

/** Logical lines: comments and empty lines left out, continued lines joined. */
function instructions(text: string): Array<{ line: number; keyword: string; rest: string }> {
  const found = [];
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; index++) {
    const line = index + 1;
    if (/^\s*(#|$)/.test(lines[index] ?? '')) continue;
    let logical = lines[index] ?? '';
    while (/\\\s*$/.test(logical) && index + 1 < lines.length) {
      logical = `${logical.replace(/\s*\\\s*$/, '')} ${(lines[++index] ?? '').trim()}`;
    }
    const [, keyword = '', rest = ''] = /^\s*(\S+)\s*(.*?)\s*$/.exec(logical) ?? [];
    found.push({ line, keyword: keyword.toUpperCase(), rest });
  }
  return found;
}

function step(line: number, keyword: string, rest: string): Step {
  switch (keyword) {
    case 'WORKDIR':
      return { kind: keyword, line, path: absolute(line, rest) };
    case 'COPY':
      return copy(line, rest);
    case 'RUN':
      if (/^(--|\[)/.test(rest)) throw new DockerfileError(line, 'RUN with flags or in JSON is not known here');
      return { kind: keyword, line, command: rest };
    case 'ENV':
    case 'LABEL':
      return { kind: keyword, line, values: assignments(line, rest) };
    case 'ARG': {
      const [, name, value] = /^([A-Za-z_]\w*)(?:=(\S*))?$/.exec(rest) ?? [];
      if (!name) throw new DockerfileError(line, `"ARG ${rest}" is not NAME or NAME=value`);
      return { kind: keyword, line, name, value };
    }
    case 'USER':
      return { kind: keyword, line, user: rest };
    case 'EXPOSE':
      return { kind: keyword, line, ports: rest.split(/\s+/) };
    case 'HEALTHCHECK': {
      const [, command] = /^(?:--[a-z-]+=\S+\s+)*CMD\s+(.*)$/.exec(rest) ?? [];
      if (!command) throw new DockerfileError(line, 'HEALTHCHECK has no CMD');
      return { kind: keyword, line, command: words(line, command) };
    }
    case 'CMD':
      return { kind: keyword, line, command: words(line, rest) };
    default:
      throw new DockerfileError(line, `${keyword} is not known here`);
  }
}

function copy(line: number, rest: string): Step {
  const all = rest.split(/\s+/);
  const flags = all.filter((word) => word.startsWith('--'));
  const [flag = '', ...others] = flags;
  const [, from] = /^--from=(\S+)$/.exec(flag) ?? [];
  if (others.length > 0 || (flag !== '' && !from))
    throw new DockerfileError(line, `COPY ${flags.join(' ')} is not known here`);
  const paths = all.filter((word) => !word.startsWith('--'));
  const target = paths.pop();
  if (!target || paths.length === 0) throw new DockerfileError(line, 'COPY needs a source and a target');
  const odd = [...paths, target].find((path) => /[*?[\]$"']|(^|\/)\.\.(\/|$)/.test(path));
  if (odd) throw new DockerfileError(line, `COPY of ${odd}: patterns, variables and ".." are not known here`);
  if (paths.length > 1 && !target.endsWith('/'))
    throw new DockerfileError(line, 'COPY of several needs a target that ends in /');
  return { kind: 'COPY', line, ...(from && { from }), sources: paths, target };
}

function assignments(line: number, rest: string): Record<string, string> {
  const values: Record<string, string> = {};
  const left = rest.replace(/([A-Za-z_][\w.-]*)=(?:"([^"]*)"|([^\s"]+))/g, (_all, name: string, quoted, bare) => {
    values[name] = (quoted ?? bare) as string;
    return '';
  });
  if (left.trim() !== '' || Object.keys(values).length === 0) {
    throw new DockerfileError(line, `"${rest}" is not a list of NAME=value`);
  }
  return values;
}

/** Exec form only: a shell in between would take the signals of the process for itself. */
function words(line: number, rest: string): string[] {
  try {
    const parsed: unknown = JSON.parse(rest);
    if (Array.isArray(parsed) && parsed.length > 0 && parsed.every((word) => typeof word === 'string')) return parsed;
  } catch {
    // Said below.
  }
  throw new DockerfileError(line, `${rest} is not a command in JSON, such as ["node", "main.js"]`);
}

function absolute(line: number, path: string): string {
  if (/^\/[\w/-]*$/.test(path)) return path;
  throw new DockerfileError(line, `WORKDIR ${path} is not an absolute path`);
}
