import { envVariablesOf } from './env.decorator';

/**
 * Compares one section of `.env.example` with a configuration class: every variable present, in order, under a
 * comment that is its description word for word, secrets without a value, and nothing else.
 *
 * A section starts with `### <name>` and ends at the next one.
 *
 * @returns one sentence per difference; empty when they agree
 */
export function checkEnvExample(input: { text: string; section: string; configClass: object }): readonly string[] {
  const lines = sectionLines(input.text, input.section);
  const written = lines.flatMap((line, index) => {
    const match = /^#? ?([A-Z][A-Z0-9_]*)=(.*)$/.exec(line);
    if (!match) return [];
    return [{ name: match[1] ?? '', value: match[2] ?? '', comment: (lines[index - 1] ?? '').replace(/^# ?/, '') }];
  });
  const expected = envVariablesOf(input.configClass);
  const problems: string[] = [];
  const expectedNames = expected.map(({ name }) => name).join(', ');
  const writtenNames = written.map(({ name }) => name).join(', ');
  if (writtenNames !== expectedNames) {
    problems.push(`section ${input.section} has ${writtenNames || 'nothing'}, the class has ${expectedNames}`);
  }
  for (const variable of expected) {
    const line = written.find(({ name }) => name === variable.name);
    if (!line) continue;
    if (line.comment !== variable.description) {
      problems.push(`${variable.name} is described as "${line.comment}", the class says "${variable.description}"`);
    }
    if (variable.secret && line.value !== '') problems.push(`${variable.name} is a secret and must have no value`);
  }
  return problems;
}

function sectionLines(text: string, section: string): string[] {
  const lines = text.split('\n');
  const start = lines.indexOf(`### ${section}`);
  if (start === -1) return [];
  const end = lines.findIndex((line, index) => index > start && line.startsWith('### '));
  return lines.slice(start + 1, end === -1 ? undefined : end);
}
