import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** What this file uses of PostCSS, which Vite brings. */
interface Rule {
  selectors: string[];
  remove(): unknown;
}
interface Root {
  walkRules(visit: (rule: Rule) => void): unknown;
}

const CLASS = /\bm_[0-9a-f]+\b/g;
const FROM_CORE = /^(?:import|export) \{([^}]+)\} from ['"]@mantine\/core['"]/gm;
const EXPORTED = /^import \{([^}]+)\} from "(\.[^"]+)"/gm;
const NEIGHBOUR = /^(?:import|export) .*from "(\.[^"]+)"/gm;

/**
 * Drops the styles of Mantine's components that no source of the page imports; the whole sheet is twice as long. The
 * modules of a component name its classes, and import those of the components that it is made of.
 */
export function usedStyles(sources: string): { readonly postcssPlugin: string; Once(root: Root): void } {
  const own = [...textsIn(sources), ...textsIn(esmOf('@mantine/notifications'))];
  const imported = own.flatMap((text) => [...text.matchAll(FROM_CORE)].flatMap(([, names = '']) => namesOf(names)));
  const used = new Set(own.flatMap((text) => text.match(CLASS) ?? []));
  addClassesOf(new Set(imported), used);
  const isUsed = (selector: string) => (selector.match(CLASS) ?? []).every((name) => used.has(name));
  return {
    postcssPlugin: 'used-styles',
    Once(root) {
      root.walkRules((rule) => {
        const kept = rule.selectors.filter(isUsed);
        if (kept.length === 0) rule.remove();
        else if (kept.length < rule.selectors.length) rule.selectors = kept;
      });
    },
  };
}

function addClassesOf(components: ReadonlySet<string>, used: Set<string>): void {
  const core = esmOf('@mantine/core');
  const seen = new Set<string>();
  const read = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [name] of text.matchAll(CLASS)) used.add(name);
    for (const [, path = ''] of text.matchAll(NEIGHBOUR)) read(join(dirname(file), path));
  };
  for (const [, names = '', path = ''] of readFileSync(join(core, 'index.mjs'), 'utf8').matchAll(EXPORTED)) {
    if (namesOf(names).some((name) => components.has(name))) read(join(core, path));
  }
}

const namesOf = (list: string): string[] => list.split(',').map((name) => name.trim());

const esmOf = (name: string): string => join(dirname(createRequire(import.meta.url).resolve(name)), '../esm');

function textsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|mjs)$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}
