import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const NAME = 'virtual:refusal-texts';
const RESOLVED = `\0${NAME}`;

/** Makes the module `virtual:refusal-texts` of docs/errors: for each reason its first sentence, and what to do. */
export function refusalTexts(folder: string): Plugin {
  return {
    name: 'refusal-texts',
    resolveId: (id) => (id === NAME ? RESOLVED : undefined),
    load: (id) => (id === RESOLVED ? `export default ${JSON.stringify(readTexts(folder))}` : undefined),
  };
}

function readTexts(folder: string): Record<string, { readonly when: string; readonly whatToDo: string }> {
  const pages = readdirSync(folder).filter((file) => /^[A-Z0-9_]+\.md$/.test(file) && file !== 'README.md');
  return Object.fromEntries(
    pages.map((file) => {
      const page = readFileSync(join(folder, file), 'utf8');
      const [, when = ''] = /^# .+\n\n(.+)$/m.exec(page) ?? [];
      const [, whatToDo = ''] = /\*\*What to do\.\*\* ([\s\S]+?)(?:\n\n|\s*$)/.exec(page) ?? [];
      return [file.replace('.md', ''), { when: plain(when), whatToDo: plain(whatToDo) }];
    }),
  );
}

/** Without the marks of Markdown: links become their text. */
function plain(markdown: string): string {
  return markdown
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
