import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const PREFIX = 'virtual:refusal-texts/';
const RESOLVED = `\0${PREFIX}`;
const TEXTS: Readonly<Record<string, RegExp>> = {
  when: /^# .+\n\n(.+)$/m,
  'what-to-do': /\*\*What to do\.\*\* ([\s\S]+?)(?:\n\n|\s*$)/,
};

/**
 * Makes the modules `virtual:refusal-texts/when` and `virtual:refusal-texts/what-to-do` of docs/errors: for each reason its
 * first sentence, and what to do. They are two because the overview needs only the first.
 */
export function refusalTexts(folder: string): Plugin {
  return {
    name: 'refusal-texts',
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : undefined),
    load: (id) => {
      const text = id.startsWith(RESOLVED) ? TEXTS[id.slice(RESOLVED.length)] : undefined;
      return text && `export default ${JSON.stringify(readTexts(folder, text))}`;
    },
  };
}

function readTexts(folder: string, text: RegExp): Record<string, string> {
  const pages = readdirSync(folder).filter((file) => /^[A-Z0-9_]+\.md$/.test(file) && file !== 'README.md');
  return Object.fromEntries(
    pages.map((file) => {
      const [, found = ''] = text.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
      return [file.replace('.md', ''), plain(found)];
    }),
  );
}

/** Makes the module `virtual:setting-texts` of the API document: what it says of each setting, and its bounds. */
export function settingTexts(document: string): Plugin {
  const [name, resolved] = ['virtual:setting-texts', '\0virtual:setting-texts'];
  return {
    name: 'setting-texts',
    resolveId: (id) => (id === name ? resolved : undefined),
    load: (id) => (id === resolved ? `export default ${JSON.stringify(readSettings(document))}` : undefined),
  };
}

interface Bounded {
  readonly description: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

function readSettings(document: string): Record<string, Bounded> {
  const { properties } = JSON.parse(readFileSync(document, 'utf8')).components.schemas.UpdateSettingsDto;
  const settings = Object.entries(properties as Record<string, Bounded>);
  return Object.fromEntries(
    settings.map(([key, { description, minimum, maximum }]) => [
      key,
      { description: plain(description), minimum, maximum },
    ]),
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
