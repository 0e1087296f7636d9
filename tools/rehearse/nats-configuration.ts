import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { podSpecOf } from '../deployment/pod-spec';
import type { KubernetesObject } from '../deployment/render';
import { NATS_FILES_LEFT_EMPTY, NATS_SETTINGS_LEFT_OUT, type SecretValues } from './differences';

const LEFT_OUT = new RegExp(`^\\s*(${NATS_SETTINGS_LEFT_OUT.join('|')}):.*$`, 'gm');

/** Writes the manifests' configuration of the broker, users and limits included. @returns what a server starts with */
export function writeNatsConfiguration({
  objects,
  secrets,
  folder,
}: {
  objects: readonly KubernetesObject[];
  secrets: SecretValues;
  folder: string;
}): { file: string; env: NodeJS.ProcessEnv } {
  const server = objects.find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === 'nats');
  const pod = server && podSpecOf(server);
  const names = (pod?.volumes ?? []).flatMap(({ configMap }) => configMap?.name ?? []);
  const configMap = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && names.includes(metadata.name));
  const files = Object.entries((configMap?.['data'] ?? {}) as Record<string, string>);
  if (files.length === 0) throw new Error('the manifests hold no configuration of NATS');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) {
    const here = NATS_FILES_LEFT_EMPTY.includes(name) ? '' : text.replace(LEFT_OUT, '');
    writeFileSync(join(folder, name), here, { mode: 0o600 });
  }
  const env: NodeJS.ProcessEnv = {};
  for (const { name, value, valueFrom } of pod?.containers[0]?.env ?? []) {
    const secret = valueFrom?.secretKeyRef;
    const found = secret ? secrets[secret.name]?.[secret.key] : (value ?? 'nats-0');
    env[name] = found?.replace(/\$\(([A-Z_0-9]+)\)/g, (_, other: string) => env[other] ?? '');
  }
  const file = files.some(([name]) => name === 'server.conf') ? 'server.conf' : 'nats.conf';
  return { file: join(folder, file), env };
}
