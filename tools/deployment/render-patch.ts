import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { KubernetesObject } from './render';

/** A patch file: a list is JSON 6902 and needs a target, an object is a strategic merge and names its target itself. */
export interface Patch {
  path: string;
  target?: { kind: string; name: string };
}

interface Operation {
  op: string;
  path: string;
  value?: unknown;
}

type Json = Record<string, unknown>;

/** Lists whose items a strategic merge joins by a key; a patch to another list of objects has to be JSON 6902. */
const MERGE_KEYS: Record<string, readonly string[]> = {
  containers: ['name'],
  initContainers: ['name'],
  volumes: ['name'],
  env: ['name'],
  volumeMounts: ['mountPath'],
  ports: ['containerPort', 'port'],
};

/** The objects with one patch applied. @throws when it has no target, or says something that is not known here */
export function applyPatch(input: { objects: KubernetesObject[]; patch: Patch; folder: string }): KubernetesObject[] {
  const file = join(input.folder, input.patch.path);
  const content = parse(readFileSync(file, 'utf8')) as Operation[] | KubernetesObject;
  const target = input.patch.target ?? targetOf(content, file);
  const object = input.objects.find(({ kind, metadata }) => kind === target.kind && metadata.name === target.name);
  if (!object) throw new Error(`${file}: there is no ${target.kind} ${target.name}`);
  if (Array.isArray(content)) {
    for (const operation of content) operate({ object, operation, file });
    return input.objects;
  }
  if (content.$patch === 'delete') return input.objects.filter((each) => each !== object);
  mergeObject(object, content, file);
  return input.objects;
}

function targetOf(content: Operation[] | KubernetesObject, file: string): { kind: string; name: string } {
  if (Array.isArray(content)) throw new Error(`${file}: a JSON 6902 patch needs a target`);
  return { kind: content.kind, name: content.metadata.name };
}

function operate({ object, operation, file }: { object: Json; operation: Operation; file: string }): void {
  const { op, path, value } = operation;
  const keys = path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop() ?? '';
  let parent: unknown = object;
  for (const key of keys) parent = (parent as Json | undefined)?.[key];
  if (typeof parent !== 'object' || parent === null) throw new Error(`${file}: there is nothing at ${path}`);
  const place = parent as Json;
  if (op !== 'add' && place[last] === undefined && !(Array.isArray(parent) && last === '-')) {
    throw new Error(`${file}: there is nothing at ${path}`);
  }
  if (op === 'remove' && !Array.isArray(parent)) delete place[last];
  else if (op === 'add' && Array.isArray(parent) && last === '-') parent.push(value);
  else if (op === 'add' && !Array.isArray(parent)) place[last] = value;
  else if (op === 'replace') place[last] = value;
  else throw new Error(`${file}: ${op} ${path} is not something that this renderer knows`);
}

function mergeObject(base: Json, patch: Json, file: string): void {
  for (const [key, value] of Object.entries(patch)) {
    const before = base[key];
    if (key.startsWith('$')) throw new Error(`${file}: ${key} is not something that this renderer knows`);
    if (value === null) delete base[key];
    else if (isObject(value) && isObject(before)) mergeObject(before, value, file);
    else if (Array.isArray(value) && Array.isArray(before) && isObject(value[0])) {
      base[key] = mergeList({ before: before as Json[], patch: value as Json[], keys: MERGE_KEYS[key] ?? [], file });
    } else base[key] = value;
  }
}

/** Joins items by their key; new ones come first, as kustomize puts them. */
function mergeList(input: { before: Json[]; patch: Json[]; keys: readonly string[]; file: string }): Json[] {
  const { before, patch, keys, file } = input;
  const key = keys.find((each) => patch[0]?.[each] !== undefined);
  if (!key) throw new Error(`${file}: the renderer knows no key to join these items by: ${JSON.stringify(patch)}`);
  const added: Json[] = [];
  let merged = [...before];
  for (const item of patch) {
    const same = merged.find((each) => each[key] === item[key]);
    if (item.$patch === 'delete') merged = merged.filter((each) => each !== same);
    else if (same) mergeObject(same, item, file);
    else added.push(item);
  }
  return [...added, ...merged];
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
