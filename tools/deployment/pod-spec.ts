import type { KubernetesObject } from './render';

/** The parts of a container that the checks read. */
export interface Container {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  ports?: Array<{ name: string; containerPort: number }>;
  env?: Array<{
    name: string;
    value?: string;
    valueFrom?: {
      configMapKeyRef?: KeyReference;
      secretKeyRef?: KeyReference;
      fieldRef?: { fieldPath: string };
    };
  }>;
  envFrom?: Array<{ configMapRef?: { name: string } }>;
  volumeMounts?: Array<{ name: string; mountPath: string }>;
  lifecycle?: { preStop?: { exec?: { command: string[] } } };
}

export interface KeyReference {
  name: string;
  key: string;
}

export interface Volume {
  name: string;
  configMap?: { name: string; items?: Array<{ key: string; path: string }> };
  secret?: { secretName: string; items?: Array<{ key: string; path: string }> };
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  volumes?: Volume[];
  serviceAccountName?: string;
  terminationGracePeriodSeconds?: number;
  priorityClassName?: string;
  [key: string]: unknown;
}

export interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: Array<{ key: string; operator: string; values?: string[] }>;
}

interface Template {
  metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
  spec: PodSpec;
}

/** The pod template of a Deployment, StatefulSet or Job; undefined for anything else. */
export function podTemplateOf(object: KubernetesObject): Template | undefined {
  if (!['Deployment', 'StatefulSet', 'Job'].includes(object.kind)) return undefined;
  return (object.spec as { template: Template }).template;
}
