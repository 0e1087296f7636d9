import { DockerfileParser, type Instruction } from 'dockerfile-ast';

/** One instruction of a Dockerfile; `line` counts from 1. */
export interface Step {
  readonly line: number;
  readonly kind: string;
  /** What stands behind the instruction and its flags, in one line. */
  readonly text: string;
  /** The stage that COPY takes files from. */
  readonly from?: string;
  /** What COPY copies. */
  readonly sources: readonly string[];
  /** Of ENV, LABEL and ARG. */
  readonly values: Readonly<Record<string, string>>;
  /** The command of CMD and HEALTHCHECK in JSON; empty where a shell stands between it and the signals. */
  readonly command: readonly string[];
}

export interface Stage {
  /** An image, or the name of an earlier stage. */
  readonly from: string;
  readonly name?: string;
  readonly steps: readonly Step[];
}

/** Reads a Dockerfile. Whether it is right is said by `dockerfile-utils`, and by the engine that builds it. */
export function parseDockerfile(text: string): Stage[] {
  const stages: Array<Stage & { steps: Step[] }> = [];
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const words = instruction.getArguments().map((argument) => argument.getValue());
    if (instruction.getKeyword() === 'FROM') stages.push({ from: words[0] ?? '', name: words[2], steps: [] });
    else stages.at(-1)?.steps.push(stepOf(instruction, words));
  }
  return stages;
}

/** The steps of one kind, in their order. */
export function stepsOf(stage: Stage, kind: string): Step[] {
  return stage.steps.filter((each) => each.kind === kind);
}

/** What instructions of some kinds have beside their words. */
interface Details {
  getFlags?(): Array<{ getName(): string; getValue(): string | null }>;
  getProperties?(): Array<{ getName(): string; getValue(): string | null }>;
}

function stepOf(instruction: Instruction & Details, words: readonly string[]): Step {
  const text = words.join(' ');
  const properties = (instruction.getProperties?.() ?? []).map((each) => [each.getName(), each.getValue() ?? '']);
  return {
    ...{ line: (instruction.getRange()?.start.line ?? 0) + 1, kind: instruction.getKeyword(), text },
    from:
      instruction
        .getFlags?.()
        .find((flag) => flag.getName() === 'from')
        ?.getValue() ?? undefined,
    sources: instruction.getKeyword() === 'COPY' ? words.slice(0, -1) : [],
    values: Object.fromEntries(properties) as Record<string, string>,
    command: commandOf(text.replace(/^CMD /, '')),
  };
}

function commandOf(text: string): string[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.map(String) : [];
  } catch {
    return [];
  }
}
