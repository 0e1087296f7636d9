import { replicasOf, type KubernetesObject } from '../render';
import { containersOf, environmentOf, ofKind, workloadsOf, type Policy } from './policy';

interface AutoscalerSpec {
  scaleTargetRef: { kind: string; name: string };
  maxReplicas: number;
}

/** From preStop to the last answer, there is time for everything: 15 s are what running requests and the store get. */
export const graceCoversTheShutdown: Policy = (objects) =>
  workloadsOf(objects)
    .filter(({ serves }) => serves)
    .flatMap((workload) =>
      workload.pod.containers.flatMap((container) => {
        const command = container.lifecycle?.preStop?.exec?.command;
        if (!command) return [`${workload.name}: has no preStop`];
        const needed = preStopSeconds(command) + Number(environmentOf(container, objects).DRAIN_SECONDS ?? 0) + 15;
        const grace = workload.pod.terminationGracePeriodSeconds ?? 30;
        return grace >= needed ? [] : [`${workload.name}: ends in up to ${needed} s, but is killed after ${grace} s`];
      }),
    );

/** The lame duck's time of k8s/base/nats/server.conf, and a spec that it is this. */
export const LAME_DUCK_SECONDS = 35;

function preStopSeconds(command: readonly string[]): number {
  if (command[0] === 'nats-server') return LAME_DUCK_SECONDS;
  const milliseconds = /^setTimeout\(\(\) => undefined, (\d+)\)$/.exec(command[2] ?? '')?.[1];
  return milliseconds ? Number(milliseconds) / 1_000 : Number.POSITIVE_INFINITY;
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
