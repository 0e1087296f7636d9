import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { KubernetesObject } from '../deployment/render';
import { CHAINS_CONFIG_MAP, type SecretValues } from './differences';
import type { Image } from './image';
import type { Workload } from './workload';

/** What pods of a rehearsal get their environment from. */
export interface PodSources {
  readonly objects: readonly KubernetesObject[];
  readonly secrets: SecretValues;
  /** In place of the operator's. */
  readonly chainsJson: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** A pod's place on this machine. */
export interface PodPlace {
  readonly name: string;
  /** Stands for the container's root where volumes are mounted. */
  readonly folder: string;
  /** On this machine, by the container's port. */
  readonly ports: ReadonlyMap<number, number>;
}

/** Writes a pod's volumes and makes its environment: the image's, the container's, and what has to differ. */
export function podEnvironment(
  { workload, image }: { workload: Workload; image: Image },
  place: PodPlace,
  sources: PodSources,
): NodeJS.ProcessEnv {
  const mounts = writeVolumes(workload, place, sources);
  const wanted = { ...image.env, ...containerVariables(workload, place, sources) };
  const env: NodeJS.ProcessEnv = { PATH: process.env['PATH'], HOSTNAME: place.name };
  for (const [name, value] of Object.entries(wanted)) env[name] = here(value, { place, mounts });
  // Only what is there anyway, or what every app has: an app must not be told more than in a cluster.
  for (const [name, value] of Object.entries(sources.variables)) {
    if (value === undefined) delete env[name];
    else if (env[name] !== undefined || name === 'HOST') env[name] = value;
  }
  return env;
}

/** A path in a volume, and the number of a port, as they are on this machine. */
function here(value: string, { place, mounts }: { place: PodPlace; mounts: readonly string[] }): string {
  const port = place.ports.get(Number(value));
  if (port !== undefined && /^\d+$/.test(value)) return String(port);
  return mounts.some((path) => value.startsWith(`${path}/`)) ? join(place.folder, value) : value;
}

/** @returns the paths at which there are files */
function writeVolumes({ container, volumes, name }: Workload, { folder }: PodPlace, sources: PodSources): string[] {
  return (container.volumeMounts ?? []).map((mount) => {
    const volume = volumes.find((each) => each.name === mount.name);
    const at = join(folder, mount.mountPath);
    mkdirSync(at, { recursive: true });
    if (volume?.emptyDir) return mount.mountPath;
    const source = volume?.secret ?? volume?.configMap;
    if (!source) throw new Error(`${name} mounts ${mount.name}, which is no volume that a rehearsal knows`);
    const files = volume?.secret
      ? secretData(volume.secret.secretName, sources)
      : configMapData(volume?.configMap?.name ?? '', sources);
    const items = source.items ?? Object.keys(files).map((key) => ({ key, path: key }));
    for (const { key, path } of items) {
      const content = files[key];
      if (content === undefined) throw new Error(`${name} mounts ${key} of ${mount.name}, which is not there`);
      const file = join(folder, mount.mountPath, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content, { mode: 0o600 });
    }
    return mount.mountPath;
  });
}

function containerVariables({ container }: Workload, place: PodPlace, sources: PodSources): Record<string, string> {
  const env: Record<string, string> = {};
  for (const { configMapRef, secretRef } of container.envFrom ?? []) {
    if (configMapRef) Object.assign(env, configMapData(configMapRef.name, sources));
    if (secretRef) Object.assign(env, secretData(secretRef.name, sources));
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    const { configMapKeyRef, secretKeyRef, fieldRef } = valueFrom ?? {};
    const found =
      value ??
      (configMapKeyRef && configMapData(configMapKeyRef.name, sources)[configMapKeyRef.key]) ??
      (secretKeyRef && secretData(secretKeyRef.name, sources)[secretKeyRef.key]) ??
      (fieldRef && (fieldRef.fieldPath === 'status.podIP' ? '127.0.0.1' : place.name));
    if (found === undefined) throw new Error(`${container.name}: nothing says what ${name} is`);
    env[name] = found.replace(/\$\(([A-Z_0-9]+)\)/g, (_, other: string) => env[other] ?? '');
  }
  return env;
}

function configMapData(name: string, { objects, chainsJson }: PodSources): Record<string, string> {
  const found = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name);
  if (!found) throw new Error(`the manifests hold no ConfigMap ${name}`);
  const data = (found['data'] ?? {}) as Record<string, string>;
  return isChains(name) ? { ...data, 'chains.json': chainsJson } : data;
}

/** Its name in the manifests, with the hash of its content behind. */
const isChains = (name: string): boolean => name === CHAINS_CONFIG_MAP || name.startsWith(`${CHAINS_CONFIG_MAP}-`);

function secretData(name: string, { secrets }: PodSources): Readonly<Record<string, string>> {
  const found = secrets[name];
  if (!found) throw new Error(`the manifests name a Secret ${name}, which a rehearsal does not make`);
  return found;
}
