import { replicasOf, type KubernetesObject } from '../render';
import type { Selector } from '../pod-spec';
import { containersOf, environmentOf, ofKind, selects, workloadsOf, type Policy } from './policy';

interface AutoscalerSpec {
  scaleTargetRef: { apiVersion: string; kind: string; name: string };
  minReplicas?: number;
  maxReplicas: number;
  metrics?: Array<{ type: string; resource?: { name: string }; pods?: { metric: { name: string } } }>;
}

/** Autoscalers have a target, which leaves its number to them, and scale by CPU and by one request metric. */
export const autoscalersFit: Policy = (objects) =>
  ofKind<AutoscalerSpec>(objects, 'HorizontalPodAutoscaler').flatMap(({ name, spec }) => {
    const target = objects.find(
      ({ apiVersion, kind, metadata }) =>
        apiVersion === spec.scaleTargetRef.apiVersion &&
        kind === spec.scaleTargetRef.kind &&
        metadata.name === spec.scaleTargetRef.name,
    );
    const of = (type: string): boolean => (spec.metrics ?? []).some((metric) => metric.type === type);
    return [
      ...(target ? [] : [`autoscaler ${name}: there is no ${spec.scaleTargetRef.kind} ${spec.scaleTargetRef.name}`]),
      ...((target?.spec as { replicas?: number } | undefined)?.replicas === undefined
        ? []
        : [`autoscaler ${name}: its target sets replicas, so that each apply undoes the scaling`]),
      ...((spec.minReplicas ?? 1) >= 2 ? [] : [`autoscaler ${name}: one pod is none while it is replaced`]),
      ...((spec.minReplicas ?? 1) < spec.maxReplicas ? [] : [`autoscaler ${name}: cannot scale`]),
      ...(of('Resource') && of('Pods') ? [] : [`autoscaler ${name}: needs CPU and a request metric`]),
    ];
  });

interface BudgetSpec {
  minAvailable?: number | string;
  maxUnavailable?: number | string;
  selector: Selector;
}

/** What serves has exactly one disruption budget, and it lets at least one pod go, or no node could be drained. */
export const budgetsLetOnePodGo: Policy = (objects) => {
  const budgets = ofKind<BudgetSpec>(objects, 'PodDisruptionBudget');
  const serving = workloadsOf(objects).filter(({ serves }) => serves);
  return [
    ...serving.flatMap((workload) => {
      const own = budgets.filter(({ spec }) => selects(spec.selector, workload.labels));
      if (own.length !== 1) return [`${workload.name}: has ${own.length} disruption budgets`];
      const replicas = replicasOf(objects, workload.object);
      return evictable(own[0]?.spec, replicas) >= 1
        ? []
        : [`${workload.name}: none of ${replicas} pods may be evicted`];
    }),
    ...budgets
      .filter(({ spec }) => !serving.some(({ labels }) => selects(spec.selector, labels)))
      .map(({ name }) => `PodDisruptionBudget ${name}: finds no pods`),
  ];
};

function evictable({ minAvailable, maxUnavailable }: Partial<BudgetSpec> = {}, replicas: number): number {
  if (typeof maxUnavailable === 'number') return maxUnavailable;
  return typeof minAvailable === 'number' ? replicas - minAvailable : 0;
}

/** Postgres is asked for at most this, less what administrators keep (k8s/README.md says so). */
export const MAX_CONNECTIONS = 200;
const KEPT_CONNECTIONS = 20;

/** All pods together, one more of each during a rollout, have fewer connections than Postgres gives. */
export const poolsFitPostgres: Policy = (objects) => {
  const connections = workloadsOf(objects)
    .filter(({ kind }) => kind === 'Deployment')
    .map((workload) => {
      const pool = Number(environmentOf(containersOf(workload)[0] ?? NO_CONTAINER, objects).DATABASE_POOL_SIZE);
      return pool * (mostReplicas(objects, workload.object) + 1);
    })
    .reduce((sum, each) => sum + each, 0);
  return connections <= MAX_CONNECTIONS - KEPT_CONNECTIONS ? [] : [`the pods may open ${connections} connections`];
};

const NO_CONTAINER = { name: '', image: '' };

function mostReplicas(objects: readonly KubernetesObject[], workload: KubernetesObject): number {
  const scaler = ofKind<AutoscalerSpec>(objects, 'HorizontalPodAutoscaler').find(
    ({ spec: { scaleTargetRef } }) =>
      scaleTargetRef.kind === workload.kind && scaleTargetRef.name === workload.metadata.name,
  );
  return scaler?.spec.maxReplicas ?? replicasOf(objects, workload);
}

/** The event stream is kept on as many servers as there are, up to three, and their routes name each of them. */
export const streamsAreReplicated: Policy = (objects) => {
  const nats = workloadsOf(objects).find(({ name }) => name === 'nats');
  const settlement = workloadsOf(objects).find(({ name }) => name === 'settlement');
  const servers = nats ? replicasOf(objects, nats.object) : 0;
  const copies = settlement?.pod.containers.map((each) => environmentOf(each, objects).STREAM_REPLICAS)[0];
  const routes = objects
    .filter(({ kind }) => kind === 'ConfigMap')
    .flatMap(({ data }) => (data as Record<string, string>)['cluster.conf']?.match(/nats-route:\/\/[^"]+/g) ?? []);
  const expected =
    servers > 1 ? Array.from({ length: servers }, (_, i) => `nats-route://nats-${i}.nats-routes:6222`) : [];
  return [
    ...(Number(copies) === Math.min(servers, 3) ? [] : [`${copies} copies of the stream on ${servers} servers`]),
    ...(JSON.stringify(routes) === JSON.stringify(expected)
      ? []
      : ['cluster.conf does not name the servers there are']),
  ];
};
