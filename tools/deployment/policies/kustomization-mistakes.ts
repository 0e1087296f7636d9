import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { containersOf, workloadsOf } from './policy';
import type { KubernetesObject } from '../render';

interface Kustomization {
  resources?: string[];
  components?: string[];
  configMapGenerator?: Array<{ envs?: string[] }>;
  patches?: Array<{ target?: { kind?: string; name?: string } }>;
  images?: Array<{ name: string; newName?: string }>;
}

const VARIABLE_OR_NOTE = /^\s*(#.*)?$|^[A-Z_][A-Z0-9_]*=/;

/**
 * Mistakes in a folder's kustomization.yaml, and in those of the folders it builds on, that kubectl renders in silence.
 *
 * @param objects what kubectl renders of the folder
 * @returns what is wrong, empty when nothing is
 */
export function silentMistakes(folder: string, objects: readonly KubernetesObject[]): string[] {
  const text = readFileSync(join(folder, 'kustomization.yaml'), 'utf8');
  const {
    resources = [],
    components = [],
    configMapGenerator = [],
    patches = [],
    images = [],
  } = parse(text) as Kustomization;
  const folders = [...resources, ...components]
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isDirectory());
  const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  const used = workloadsOf(objects).flatMap((workload) => containersOf(workload).map(({ image }) => image));
  const problems = [
    ...patches
      .flatMap(({ target }) => (target ? [`${target.kind} ${target.name}`] : []))
      .filter((target) => !names.includes(target))
      .map((target) => `patches ${target}, which is not there`),
    ...images
      .map(({ name, newName = name }) => newName)
      .filter((name) => !used.some((image) => image.startsWith(`${name}:`) || image.startsWith(`${name}@`)))
      .map((name) => `names the image ${name}, which no container has`),
    // kubectl takes the value of a bare NAME from the environment of whoever renders.
    ...configMapGenerator
      .flatMap(({ envs = [] }) => envs)
      .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
      .filter((line) => !VARIABLE_OR_NOTE.test(line))
      .map((line) => `has a line that is not NAME=value: ${line}`),
  ];
  return [
    ...folders.flatMap((each) => silentMistakes(each, objects)),
    ...problems.map((problem) => `${folder} ${problem}`),
  ];
}
