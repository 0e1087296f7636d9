import { containersOf, environmentOf, workloadsOf, type Policy, type Workload } from './policy';
import type { Container } from '../pod-spec';

/** What every container of every workload has to keep. */
const forContainers =
  (check: (container: Container, workload: Workload) => string[]): Policy =>
  (objects) =>
    workloadsOf(objects).flatMap((workload) =>
      containersOf(workload).flatMap((container) =>
        check(container, workload).map((problem) => `${workload.kind} ${workload.name}/${container.name}: ${problem}`),
      ),
    );

/** What every workload has to keep. */
const forWorkloads =
  (check: (workload: Workload) => string[]): Policy =>
  (objects) =>
    workloadsOf(objects).flatMap((workload) =>
      check(workload).map((problem) => `${workload.kind} ${workload.name}: ${problem}`),
    );

/** All three probes ask the port named `monitor`; liveness asks for the process only, readiness for what it needs. */
export const probesAskTheMonitorPort = forContainers((container, { serves }) => {
  if (!serves) return [];
  return (['startupProbe', 'livenessProbe', 'readinessProbe'] as const).flatMap((name) => {
    const { path = '', port } = container[name]?.httpGet ?? {};
    const expected = PROBE_PATHS[name];
    return [
      ...(port === 'monitor' ? [] : [`${name} is not on the monitor port`]),
      ...(expected.includes(path) ? [] : [`${name} asks ${path || 'nothing'}, not ${expected.join(' or ')}`]),
    ];
  });
});

/** Of our apps, and of a NATS server. */
const PROBE_PATHS = {
  startupProbe: ['/health/live', '/healthz?js-server-only=true'],
  livenessProbe: ['/health/live', '/healthz?js-enabled-only=true'],
  readinessProbe: ['/health/ready', '/healthz?js-server-only=true'],
};

export const requestsAndLimitsAreSet = forContainers(({ resources = {} }) =>
  ['cpu', 'memory'].flatMap((resource) => {
    const request = quantity(resources.requests?.[resource]);
    const limit = quantity(resources.limits?.[resource]);
    if (!(request > 0)) return [`requests no ${resource}`];
    if (!(limit > 0)) return [`has no limit of ${resource}`];
    return request <= limit ? [] : [`requests more ${resource} than its limit`];
  }),
);

export const podsRunAsNobody = forWorkloads(({ pod }) => {
  const { runAsNonRoot, runAsUser, runAsGroup, seccompProfile } = pod.securityContext ?? {};
  return [
    ...(runAsNonRoot === true ? [] : ['runAsNonRoot is not true']),
    ...(Number(runAsUser) >= 10_000 && Number(runAsGroup) >= 10_000 ? [] : ['the user or group is below 10000']),
    ...((seccompProfile as { type?: string } | undefined)?.type === 'RuntimeDefault' ? [] : ['no seccomp profile']),
    ...['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace']
      .filter((key) => pod[key])
      .map((key) => `sets ${key}`),
  ];
});

export const containersAreLocked = forContainers(({ securityContext = {} }) => {
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities, privileged, ...rest } = securityContext;
  const { drop = [], add = [] } = (capabilities ?? {}) as { drop?: string[]; add?: string[] };
  return [
    ...(allowPrivilegeEscalation === false ? [] : ['may escalate privileges']),
    ...(readOnlyRootFilesystem === true ? [] : ['can write to its root']),
    ...(drop.includes('ALL') && add.length === 0 ? [] : ['keeps capabilities']),
    ...(privileged ? ['is privileged'] : []),
    ...Object.keys(rest).map((key) => `overrides ${key} of its pod`),
  ];
});

/** Nothing here talks to the API server. */
export const noServiceAccountTokens: Policy = (objects) => [
  ...forWorkloads(({ pod }) => [
    ...(pod.automountServiceAccountToken === false ? [] : ['mounts a service account token']),
    ...(pod.serviceAccountName ? [] : ['runs as the default service account']),
  ])(objects),
  ...objects
    .filter(
      ({ kind, automountServiceAccountToken }) => kind === 'ServiceAccount' && automountServiceAccountToken !== false,
    )
    .map(({ metadata }) => `ServiceAccount ${metadata.name}: gives its token to pods`),
];

export const imagesArePinned = forContainers(({ image }) => {
  if (/@sha256:[0-9a-f]{64}$/.test(image)) return [];
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  return tag && /^v?\d+\.\d+\.\d+/.test(tag) ? [] : [`${image} is neither a digest nor a full version`];
});

/** Only what the kubelet makes for this pod alone, and no more of it than is said. */
export const volumesAreHarmless = forWorkloads(({ pod }) =>
  (pod.volumes ?? []).flatMap(({ name, configMap, secret, emptyDir }) => {
    if (emptyDir) return emptyDir.sizeLimit ? [] : [`volume ${name} may fill the node`];
    if (secret) return (secret.defaultMode ?? 0o644) & 0o037 ? [`volume ${name} can be read by others`] : [];
    return configMap ? [] : [`volume ${name} is of a kind that is not used here`];
  }),
);

/** By default, a zone or node that takes no pods counts as one without any, and the others stay as empty as that. */
export const podsAreSpread = forWorkloads(({ pod, labels, serves }) => {
  if (!serves) return [];
  const constraints = pod.topologySpreadConstraints ?? [];
  const zone = constraints.find(({ topologyKey }) => topologyKey === 'topology.kubernetes.io/zone');
  const own = (selector: unknown): boolean => JSON.stringify(selector)?.includes(`"${labels[NAME]}"`) ?? false;
  const affinity = pod.affinity as { podAntiAffinity?: unknown } | undefined;
  return [
    ...(zone && own(zone.labelSelector) ? [] : ['is not spread over zones']),
    ...(constraints.every(({ labelSelector }) => own(labelSelector)) ? [] : ['is spread by labels of others']),
    ...(constraints.every(({ nodeTaintsPolicy }) => nodeTaintsPolicy === 'Honor')
      ? []
      : ['waits beside free nodes while a zone is cordoned']),
    ...(own(affinity?.podAntiAffinity) ? [] : ['does not avoid the nodes of its other pods']),
  ];
});

const NAME = 'app.kubernetes.io/name';

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

/** A pod more, never one less. */
export const rollingUpdatesLoseNoPod: Policy = (objects) =>
  workloadsOf(objects)
    .filter(({ kind }) => kind === 'Deployment')
    .filter(({ object }) => {
      const { type, rollingUpdate } = (object.spec as { strategy?: Strategy }).strategy ?? {};
      return type !== 'RollingUpdate' || rollingUpdate?.maxUnavailable !== 0;
    })
    .map(({ name }) => `Deployment ${name}: a rolling update may leave fewer pods`);

interface Strategy {
  type?: string;
  rollingUpdate?: { maxUnavailable?: number | string };
}

const UNITS: Record<string, number> = { m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

/** A quantity such as `250m` or `512Mi` as a number; NaN when it is none. */
function quantity(text: string | number | undefined): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)([a-zA-Z]*)$/.exec(String(text)) ?? [];
  return Number(digits) * (UNITS[unit ?? ''] ?? Number.NaN);
}
