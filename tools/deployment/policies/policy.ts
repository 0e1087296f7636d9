import { podTemplateOf, type Container, type PodSpec, type Selector } from '../pod-spec';
import type { KubernetesObject } from '../render';

/** One rule that all objects of an overlay together have to keep. @returns what breaks it, empty when nothing does */
export type Policy = (objects: readonly KubernetesObject[]) => string[];

/** Something that makes pods. */
export interface Workload {
  readonly object: KubernetesObject;
  readonly kind: string;
  readonly name: string;
  readonly labels: Record<string, string>;
  readonly pod: PodSpec;
  /** Runs on and on, unlike a job. */
  readonly serves: boolean;
}

export function workloadsOf(objects: readonly KubernetesObject[]): Workload[] {
  return objects.flatMap((object) => {
    const template = podTemplateOf(object);
    if (!template) return [];
    const { kind, metadata } = object;
    const labels = template.metadata.labels;
    return [{ object, kind, name: metadata.name, labels, pod: template.spec, serves: kind !== 'Job' }];
  });
}

export const containersOf = ({ pod }: Workload): Container[] => [...(pod.initContainers ?? []), ...pod.containers];

export function ofKind<Spec>(objects: readonly KubernetesObject[], kind: string): Array<{ name: string; spec: Spec }> {
  return objects
    .filter((object) => object.kind === kind)
    .map(({ metadata, spec }) => ({ name: metadata.name, spec: spec as Spec }));
}

/** What a container's environment says in plain words, from its config maps and its own values. */
export function environmentOf(container: Container, objects: readonly KubernetesObject[]): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const { configMapRef } of container.envFrom ?? []) {
    Object.assign(environment, configMapData(objects, configMapRef?.name));
  }
  for (const { name, value } of container.env ?? []) if (value !== undefined) environment[name] = value;
  return environment;
}

export function configMapData(
  objects: readonly KubernetesObject[],
  name: string | undefined,
): Record<string, string> | undefined {
  const found = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name);
  return found && (found.data as Record<string, string>);
}

/** Whether labels are what a selector asks for; an empty selector asks for nothing. */
export function selects(
  { matchLabels = {}, matchExpressions = [] }: Selector,
  labels: Record<string, string>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator === 'In') return values.includes(labels[key] ?? '');
      if (operator === 'Exists') return labels[key] !== undefined;
      throw new Error(`the checks do not know the operator ${operator}`);
    })
  );
}
