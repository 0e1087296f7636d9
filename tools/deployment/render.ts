import { join } from 'node:path';
import { ROOT } from './environment';
import { renderKustomization, type KubernetesObject } from './kubectl';

export type { KubernetesObject };

export type OverlayName = 'dev' | 'prod' | 'prod-observed';

export const OVERLAYS: readonly OverlayName[] = ['dev', 'prod', 'prod-observed'];

export const folderOf = (name: OverlayName): string => join(ROOT, 'k8s/overlays', name);

/** The objects of one overlay of k8s/, as kubectl renders them. */
export function renderOverlay(name: OverlayName): KubernetesObject[] {
  return renderKustomization(folderOf(name));
}

/** How many pods a workload starts with: its own number, or the least that its autoscaler keeps; 1 when nobody says. */
export function replicasOf(objects: readonly KubernetesObject[], workload: KubernetesObject): number {
  const own = (workload.spec as { replicas?: number } | undefined)?.replicas;
  if (own !== undefined) return own;
  for (const { kind, spec } of objects) {
    if (kind !== 'HorizontalPodAutoscaler') continue;
    const { scaleTargetRef: target, minReplicas } = spec as Autoscaler;
    if (target.kind === workload.kind && target.name === workload.metadata.name) return minReplicas ?? 1;
  }
  return 1;
}

interface Autoscaler {
  scaleTargetRef: { kind: string; name: string };
  minReplicas?: number;
}
