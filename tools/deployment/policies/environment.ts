import { environmentProblems } from '../environment';
import { containersOf, environmentOf, workloadsOf, type Policy } from './policy';

/** Images whose container runs an app, by the image's last name. */
const APPS = ['dashboard', 'paymaster-rpc', 'settlement'];

/** Every variable is one that the app's config class has, and every required one is set; jobs read fewer. */
export const variablesAreKnown: Policy = (objects) =>
  workloadsOf(objects).flatMap((workload) =>
    containersOf(workload).flatMap((container) => {
      const app = APPS.find((each) => container.image.includes(`/${each}`));
      if (!app) return [];
      const names = Object.keys(environmentOf(container, objects));
      const problems = environmentProblems(app, names).map((problem) => `${workload.name}: ${problem}`);
      return workload.serves ? problems : problems.filter((problem) => !problem.includes(`${app} needs `));
    }),
  );

/** The ports a container says it has are those that its app opens. */
export const portsAreThoseOfTheApp: Policy = (objects) =>
  workloadsOf(objects).flatMap((workload) =>
    containersOf(workload).flatMap((container) => {
      const { PORT, MONITOR_PORT } = environmentOf(container, objects);
      if (!PORT) return [];
      const opened = MONITOR_PORT ? { http: PORT, monitor: MONITOR_PORT } : { monitor: PORT };
      const said = Object.fromEntries(
        (container.ports ?? []).map(({ name, containerPort }) => [name, String(containerPort)]),
      );
      return JSON.stringify(said) === JSON.stringify(opened)
        ? []
        : [`${workload.name}: says ${JSON.stringify(said)}, but opens ${JSON.stringify(opened)}`];
    }),
  );

/** Behind an Ingress there is at least one proxy to trust, or all clients are one. */
export const proxiesAreTrusted: Policy = (objects) => {
  const published = objects.filter(({ kind }) => kind === 'Ingress').map(({ metadata }) => metadata.name);
  return workloadsOf(objects)
    .filter(({ name }) => published.includes(name))
    .filter((workload) => !containersOf(workload).some((each) => Number(environmentOf(each, objects).TRUSTED_PROXIES)))
    .map(({ name }) => `${name}: trusts no proxy, but has an Ingress`);
};

/** The page's cookies and sign-ins are bound to its address, and its code for apps names the gateway's. */
export const pageKnowsItsAddress: Policy = (objects) => {
  const hostOf = (name: string) => {
    const ingress = objects.find(({ kind, metadata }) => kind === 'Ingress' && metadata.name === name);
    return (ingress?.spec as { rules: Array<{ host: string }> } | undefined)?.rules[0]?.host;
  };
  const workload = workloadsOf(objects).find(({ name }) => name === 'dashboard');
  const [container] = workload ? containersOf(workload) : [];
  if (!container) return [];
  const { PUBLIC_URL, PUBLIC_GATEWAY_URL } = environmentOf(container, objects);
  const wanted = [`https://${hostOf('dashboard')}`, `https://${hostOf('paymaster-rpc')}`];
  return PUBLIC_URL === wanted[0] && PUBLIC_GATEWAY_URL === wanted[1]
    ? []
    : [`dashboard: PUBLIC_URL and PUBLIC_GATEWAY_URL are not ${wanted.join(' and ')}`];
};

/** Bytes that the gateway reads of a body (`read-body.ts`); the dashboard's number is a variable. */
const GATEWAY_BODY_BYTES = 256 * 1024;
/** What the apps give a client to send its request, and in which they answer; seconds. */
const REQUEST_SECONDS = '10';

/** The Ingress refuses what the app would refuse, and waits no longer than the app may take. */
export const ingressLimitsAreTheApps: Policy = (objects) =>
  objects
    .filter(({ kind }) => kind === 'Ingress')
    .flatMap(({ metadata: { name, annotations = {} } }) => {
      const workload = workloadsOf(objects).find((each) => each.name === name);
      const [container] = workload ? containersOf(workload) : [];
      const variables = container ? environmentOf(container, objects) : {};
      const limits = {
        'proxy-body-size': variables.MAX_BODY_BYTES ?? String(GATEWAY_BODY_BYTES),
        'proxy-send-timeout': REQUEST_SECONDS,
        'proxy-read-timeout': REQUEST_SECONDS,
        'force-ssl-redirect': 'true',
      };
      return Object.entries(limits)
        .filter(([key, value]) => annotations[`nginx.ingress.kubernetes.io/${key}`] !== value)
        .map(([key, value]) => `Ingress ${name}: ${key} is not ${value}`);
    });

const CLUSTER_SCOPED = ['Namespace', 'PriorityClass'];

/** Everything is in one namespace, and that one is made here and takes restricted pods only. */
export const namespaceIsRestricted: Policy = (objects) => {
  const namespace = objects.find(({ kind }) => kind === 'Namespace');
  const { name, labels = {} } = namespace?.metadata ?? { name: 'none' };
  return [
    ...['enforce', 'warn', 'audit']
      .filter((mode) => labels[`pod-security.kubernetes.io/${mode}`] !== 'restricted')
      .map((mode) => `Namespace ${name}: does not ${mode} the restricted standard`),
    ...objects
      .filter(({ kind, metadata }) => !CLUSTER_SCOPED.includes(kind) && metadata.namespace !== name)
      .map(({ kind, metadata }) => `${kind} ${metadata.name}: is not in the namespace ${name}`),
  ];
};
