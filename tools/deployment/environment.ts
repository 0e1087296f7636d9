import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(__dirname, '../..');

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The variables of one app, as `.env.example` lists them; the app's own test holds that list to its config class. */
export function variablesOf(app: string): { all: string[]; required: string[]; defaults: Record<string, string> } {
  const text = read('.env.example');
  const start = text.indexOf(`### ${app}\n`);
  const end = text.indexOf('\n### ', start + 1);
  const section = start === -1 ? '' : text.slice(start, end === -1 ? undefined : end);
  return {
    all: [...section.matchAll(/^#? ?([A-Z][A-Z0-9_]*)=/gm)].map((match) => match[1] ?? ''),
    // Uncommented means: the app does not boot without it.
    required: [...section.matchAll(/^([A-Z][A-Z0-9_]*)=/gm)].map((match) => match[1] ?? ''),
    defaults: Object.fromEntries(
      [...section.matchAll(/^# ([A-Z][A-Z0-9_]*)=(.+)$/gm)].map(([, name = '', value = '']) => [name, value]),
    ),
  };
}

/** What is wrong with the variables a deployment sets for an app; empty when nothing is. */
export function environmentProblems(app: string, names: readonly string[]): string[] {
  const { all, required } = variablesOf(app);
  const set = names.map((name) => (all.includes(name) ? name : name.replace(/_FILE$/, '')));
  return [
    ...set.filter((name) => !all.includes(name)).map((name) => `${name} is not a variable of ${app}`),
    ...required.filter((name) => !set.includes(name)).map((name) => `${app} needs ${name}`),
  ];
}
