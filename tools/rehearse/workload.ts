import { podSpecOf, type Container, type PodSpec } from '../deployment/pod-spec';
import { replicasOf, type KubernetesObject } from '../deployment/render';
import { REPLICAS } from './differences';
import { rolloutBounds, type RolloutBounds } from './rollout-plan';

/** A Deployment or Job of the manifests, as a kubelet and its controller need it. */
export interface Workload {
  readonly name: string;
  readonly container: Container;
  readonly volumes: NonNullable<PodSpec['volumes']>;
  /** From being asked to end to being ended by force, the preStop hook included. */
  readonly graceSeconds: number;
  /** Run before the container is asked to end, and waited for. */
  readonly preStop: readonly string[] | undefined;
  readonly bounds: RolloutBounds;
  readonly minReadySeconds: number;
}

interface DeploymentSpec {
  readonly minReadySeconds?: number;
  readonly strategy?: { readonly rollingUpdate?: { maxSurge?: number | string; maxUnavailable?: number | string } };
}

/** Kubernetes' own, where the manifest says nothing. */
const DEFAULT_GRACE_SECONDS = 30;

/** @throws when the manifests hold no such object, or one that a rehearsal cannot run */
export function readWorkload(
  objects: readonly KubernetesObject[],
  { kind, name }: { kind: 'Deployment' | 'Job'; name: string },
): Workload {
  const object = objects.find((each) => each.kind === kind && each.metadata.name === name);
  const pod = object && podSpecOf(object);
  const [container, ...others] = pod?.containers ?? [];
  if (!object || !pod || !container) throw new Error(`the manifests hold no ${kind} ${name}`);
  if (others.length > 0) throw new Error(`${kind} ${name} has more than one container, which is not rehearsed`);
  const { minReadySeconds = 0, strategy } = (object['spec'] ?? {}) as DeploymentSpec;
  return {
    ...{ name, container, minReadySeconds },
    volumes: pod.volumes ?? [],
    graceSeconds: pod.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS,
    preStop: container.lifecycle?.preStop?.exec?.command,
    bounds: rolloutBounds(REPLICAS[name] ?? replicasOf(objects, object), strategy?.rollingUpdate),
  };
}
