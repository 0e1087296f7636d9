import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { hashedName, makeConfigMap, type ConfigMap, type ConfigMapGenerator } from './render-config-map';
import { applyPatch, type Patch } from './render-patch';
import { podSpecOf } from './pod-spec';
import type { KubernetesObject } from './render';

interface Kustomization {
  kind: string;
  resources?: string[];
  components?: string[];
  configMapGenerator?: ConfigMapGenerator[];
  patches?: Patch[];
  namespace?: string;
  labels?: Array<{ pairs: Record<string, string> }>;
  replicas?: Array<{ name: string; count: number }>;
  images?: Array<{ name: string; newName?: string; newTag?: string; digest?: string }>;
}

const CLUSTER_SCOPED = new Set(['Namespace', 'PriorityClass']);

/** A component here only adds: it changes nothing of what takes it in. */
const KNOWN_IN_COMPONENTS = ['apiVersion', 'kind', 'resources', 'configMapGenerator'];

const KNOWN: Record<string, readonly string[]> = {
  '': [
    ...['apiVersion', 'kind', 'resources', 'components', 'configMapGenerator', 'patches'],
    ...['namespace', 'labels', 'replicas', 'images'],
  ],
  configMapGenerator: ['name', 'files', 'envs', 'behavior', 'options'],
  patches: ['path', 'target'],
  labels: ['pairs'],
  replicas: ['name', 'count'],
  images: ['name', 'newName', 'newTag', 'digest'],
};

/**
 * Renders a folder's kustomization.yaml: exactly the part of kustomize that k8s/ uses, and nothing else.
 * @throws when the file has a key that is not known here: it would be left out silently otherwise
 */
export function renderKustomization(folder: string): KubernetesObject[] {
  const objects = accumulate(folder, 'Kustomization');
  const names = new Map<string, string>();
  for (const object of objects.filter(isGenerated)) {
    names.set(object.metadata.name, hashedName(object));
    object.metadata.name = hashedName(object);
  }
  for (const object of objects) renameConfigMaps(object, names);
  return objects;
}

/** One level: what it builds on, then its own generators, patches and transformations in the order of kustomize. */
function accumulate(folder: string, kind: 'Kustomization' | 'Component'): KubernetesObject[] {
  const kustomization = readKustomization(folder, kind);
  let objects = (kustomization.resources ?? []).flatMap((path) => readResource(join(folder, path)));
  for (const generator of kustomization.configMapGenerator ?? []) addConfigMap({ objects, generator, folder });
  objects.push(...(kustomization.components ?? []).flatMap((path) => accumulate(join(folder, path), 'Component')));
  for (const patch of kustomization.patches ?? []) objects = applyPatch({ objects, patch, folder });
  for (const object of objects) {
    if (kustomization.namespace) setNamespace(object, kustomization.namespace);
    for (const { pairs } of kustomization.labels ?? []) {
      object.metadata.labels = { ...object.metadata.labels, ...pairs };
    }
  }
  for (const { name, count } of kustomization.replicas ?? []) setReplicas({ objects, name, count });
  for (const image of kustomization.images ?? []) setImage(objects, image);
  return objects;
}

function readKustomization(folder: string, kind: 'Kustomization' | 'Component'): Kustomization {
  const file = join(folder, 'kustomization.yaml');
  const kustomization = parse(readFileSync(file, 'utf8')) as Kustomization & Record<string, unknown>;
  refuseUnknown(kustomization, { file, field: '' });
  const isComponent = kustomization.kind === 'Component';
  if (isComponent !== (kind === 'Component')) throw new Error(`${file}: is not a ${kind}`);
  for (const key of Object.keys(kustomization)) {
    if (isComponent && !KNOWN_IN_COMPONENTS.includes(key))
      throw new Error(`${file}: ${key} in a component is not known`);
  }
  for (const [field, value] of Object.entries(kustomization)) {
    if (!KNOWN[field]) continue;
    for (const entry of value as object[]) refuseUnknown(entry, { file, field });
  }
  return kustomization;
}

function refuseUnknown(value: object, { file, field }: { file: string; field: string }): void {
  for (const key of Object.keys(value)) {
    if (!KNOWN[field]?.includes(key)) {
      throw new Error(`${file}: ${field ? `${field}.` : ''}${key} is not a key that this renderer knows`);
    }
  }
}

function readResource(path: string): KubernetesObject[] {
  if (statSync(path).isDirectory()) return accumulate(path, 'Kustomization');
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => {
    const object = document.toJS() as KubernetesObject | null;
    if (!object?.kind || !object.metadata?.name) throw new Error(`${path}: an object needs a kind and a name`);
    return object;
  });
}

/** Objects made by a generator carry the hash of their content in their name, so that a change of it starts a rollout. */
const generated = new WeakSet<KubernetesObject>();
const isGenerated = (object: KubernetesObject): object is ConfigMap => generated.has(object);

function addConfigMap(input: { objects: KubernetesObject[]; generator: ConfigMapGenerator; folder: string }): void {
  const { objects, generator, folder } = input;
  const made = makeConfigMap(generator, folder);
  const existing = objects.find((object) => isGenerated(object) && object.metadata.name === made.metadata.name);
  if (generator.behavior === 'merge') {
    if (!existing) throw new Error(`${folder}: there is no config map ${generator.name} to merge into`);
    Object.assign((existing as ConfigMap).data, made.data);
    return;
  }
  if (existing) throw new Error(`${folder}: there is a config map ${generator.name} already`);
  if (!generator.options?.disableNameSuffixHash) generated.add(made);
  objects.push(made);
}

function setNamespace(object: KubernetesObject, namespace: string): void {
  if (object.kind === 'Namespace') object.metadata.name = namespace;
  if (!CLUSTER_SCOPED.has(object.kind)) object.metadata.namespace = namespace;
}

function setReplicas(input: { objects: KubernetesObject[]; name: string; count: number }): void {
  const { objects, name, count } = input;
  const workloads = objects.filter(
    ({ kind, metadata }) => ['Deployment', 'StatefulSet'].includes(kind) && metadata.name === name,
  );
  if (workloads.length === 0) throw new Error(`replicas: there is no ${name}`);
  for (const workload of workloads) (workload.spec as { replicas: number }).replicas = count;
}

function setImage(objects: KubernetesObject[], image: NonNullable<Kustomization['images']>[number]): void {
  for (const object of objects) {
    const pod = podSpecOf(object);
    for (const container of [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])]) {
      const [, name, suffix] = /^(.+?)((?::[^:/@]+)?(?:@.+)?)$/.exec(container.image) ?? [];
      if (name !== image.name) continue;
      const reference = image.digest ? `@${image.digest}` : image.newTag ? `:${image.newTag}` : suffix;
      container.image = `${image.newName ?? name}${reference}`;
    }
  }
}

function renameConfigMaps(object: KubernetesObject, names: Map<string, string>): void {
  const pod = podSpecOf(object);
  if (!pod) return;
  const rename = (reference: { name?: string } | undefined): void => {
    if (reference?.name) reference.name = names.get(reference.name) ?? reference.name;
  };
  for (const volume of pod.volumes ?? []) rename(volume.configMap);
  for (const container of [...(pod.initContainers ?? []), ...pod.containers]) {
    for (const source of container.envFrom ?? []) rename(source.configMapRef);
    for (const variable of container.env ?? []) rename(variable.valueFrom?.configMapKeyRef);
  }
}
