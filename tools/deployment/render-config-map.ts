import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import type { KubernetesObject } from './render';

export interface ConfigMapGenerator {
  name: string;
  files?: string[];
  envs?: string[];
  behavior?: 'merge';
  options?: { disableNameSuffixHash?: boolean; labels?: Record<string, string> };
}

const KNOWN_OPTIONS = ['disableNameSuffixHash', 'labels'];

export interface ConfigMap extends KubernetesObject {
  data: Record<string, string>;
}

/** The config map that a generator describes, before its hash. @throws when a file lies outside of the folder */
export function makeConfigMap(
  { name, files = [], envs = [], behavior, options = {} }: ConfigMapGenerator,
  folder: string,
): ConfigMap {
  if (behavior !== undefined && behavior !== 'merge') throw new Error(`config map ${name}: behavior is not merge`);
  for (const option of Object.keys(options)) {
    if (!KNOWN_OPTIONS.includes(option)) throw new Error(`config map ${name}: the option ${option} is not known`);
  }
  const { labels } = options;
  const data: Record<string, string> = {};
  for (const file of files) {
    const [key, path] = file.includes('=') ? file.split('=', 2) : [basename(file), file];
    data[key ?? ''] = readInside(folder, path ?? '');
  }
  for (const file of envs) Object.assign(data, parseEnv(readInside(folder, file), join(folder, file)));
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...(labels && { labels: { ...labels } }) }, data };
}

/** The name with the first ten digits of the hash of the content, spelt as kustomize spells them. */
export function hashedName({ metadata: { name }, data }: ConfigMap): string {
  const sorted = Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)));
  // Kustomize reads the name from where it is not, and hashes an empty one.
  const digest = createHash('sha256')
    .update(goJson({ data: sorted, kind: 'ConfigMap', name: '' }))
    .digest('hex');
  const spelt = digest.slice(0, 10).replace(/[013ae]/g, (digit) => SPELLING[digit] ?? digit);
  return `${name}-${spelt}`;
}

/** Vowels and the digits that look like them are avoided, so that a hash is never a word. */
const SPELLING: Record<string, string> = { '0': 'g', '1': 'h', '3': 'k', a: 'm', e: 't' };

/** JSON as Go writes it: these characters are escaped. */
const goJson = (value: object): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Kustomize reads no files above the folder of a kustomization. */
function readInside(folder: string, path: string): string {
  if (relative(folder, join(folder, path)).startsWith('..')) throw new Error(`${path} is not inside ${folder}`);
  return readFileSync(join(folder, path), 'utf8');
}

function parseEnv(text: string, file: string): Record<string, string> {
  const lines = text.split('\n').map((line) => line.trimStart());
  return Object.fromEntries(
    lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line) ?? [];
        if (name === undefined) throw new Error(`${file}: not NAME=value: ${line}`);
        return [name, value];
      }),
  ) as Record<string, string>;
}
