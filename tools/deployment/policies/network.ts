import { NetworkModel, type NetworkPolicySpec, type Rule } from './network-model';
import { ofKind, workloadsOf, type Policy } from './policy';

const policiesOf = (objects: Parameters<Policy>[0]): Array<{ name: string; spec: NetworkPolicySpec }> =>
  ofKind<NetworkPolicySpec>(objects, 'NetworkPolicy');

/** One policy selects every pod, both ways, and allows nothing. */
export const everythingIsDeniedFirst: Policy = (objects) =>
  policiesOf(objects).some(
    ({ spec }) =>
      Object.keys(spec.podSelector).length === 0 &&
      spec.policyTypes?.includes('Ingress') &&
      spec.policyTypes.includes('Egress') &&
      !spec.ingress?.length &&
      !spec.egress?.length,
  )
    ? []
    : ['no network policy denies everything to begin with'];

/** No rule leaves out whom, or which ports: either would mean all of them. */
export const rulesNamePeersAndPorts: Policy = (objects) =>
  policiesOf(objects).flatMap(({ name, spec }) =>
    [...(spec.ingress ?? []), ...(spec.egress ?? [])].flatMap((rule) => {
      const peers = rule.from ?? rule.to ?? [];
      return [
        ...(peers.length > 0 ? [] : [`NetworkPolicy ${name}: a rule is for everybody`]),
        ...(rule.ports?.length ? [] : [`NetworkPolicy ${name}: a rule is for every port`]),
        ...(peers.some((peer) => Object.keys(peer).length === 0) ? [`NetworkPolicy ${name}: an empty peer`] : []),
      ];
    }),
  );

/** Every policy selects pods, every pod beside it that a rule names is there, and so are the names of ports. */
export const rulesFindPods: Policy = (objects) => {
  const model = new NetworkModel(objects);
  const check = (policy: string, rule: Rule, targets: readonly string[]): string[] => [
    ...[...(rule.from ?? []), ...(rule.to ?? [])]
      .filter((peer) => peer.podSelector && !peer.namespaceSelector && model.podsOf(peer.podSelector).length === 0)
      .map(() => `NetworkPolicy ${policy}: a rule names pods that are not there`),
    ...(rule.ports ?? [])
      .filter(({ port }) => typeof port === 'string' && !targets.every((pod) => model.portOf(pod, port) !== undefined))
      .map(({ port }) => `NetworkPolicy ${policy}: not every pod has a port ${port}`),
  ];
  return policiesOf(objects).flatMap(({ name, spec }) => {
    const selected = model.podsOf(spec.podSelector);
    return [
      ...(selected.length > 0 ? [] : [`NetworkPolicy ${name}: selects no pods`]),
      ...(spec.ingress ?? []).flatMap((rule) => check(name, rule, selected)),
      ...(spec.egress ?? []).flatMap((rule) =>
        check(
          name,
          rule,
          (rule.to ?? []).flatMap(({ podSelector }) => (podSelector ? model.podsOf(podSelector) : [])),
        ),
      ),
    ];
  });
};

/** Whose addresses are nobody's business: this machine, the cloud's metadata, private and reserved networks. */
const PRIVATE = [
  '10.1.2.3',
  '172.16.9.9',
  '192.168.1.1',
  '169.254.169.254',
  '168.63.129.16',
  '127.0.0.1',
  '100.64.0.1',
  '0.0.0.0',
];

/** All public addresses of IPv6, and none that is not. */
const PUBLIC_IPV6 = '2000::/3';

/** Whatever may go to the internet can go nowhere else by it. */
export const internetIsNotInside: Policy = (objects) => {
  const model = new NetworkModel(objects);
  const blocks = policiesOf(objects).flatMap(({ spec }) =>
    (spec.egress ?? []).flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock?.cidr ?? [])),
  );
  return [
    ...model.pods
      .filter((pod) => model.reaches(pod, { address: '1.1.1.1', port: 443 }))
      .flatMap((pod) =>
        PRIVATE.filter((address) => model.reaches(pod, { address, port: 443 })).map(
          (address) => `${pod}: may call ${address}, which is inside`,
        ),
      ),
    ...blocks
      .filter((cidr) => cidr.includes(':') && cidr !== PUBLIC_IPV6)
      .map((cidr) => `${cidr} is more than the public addresses of IPv6`),
  ];
};

/** Who reaches whom; `internet`, `postgres`, and pods of other namespaces stand for what is outside. */
export const allowancesAreExact: Policy = (objects) => {
  const model = new NetworkModel(objects);
  const found = model.allowances();
  return [
    ...found.filter((each) => !ALLOWANCES.includes(each)).map((each) => `${each} is allowed, and nobody needs it`),
    ...ALLOWANCES.filter((each) => !found.includes(each)).map((each) => `${each} is needed, but not allowed`),
  ];
};

/** All that has to be possible; anything else is a mistake. */
export const ALLOWANCES: readonly string[] = [
  ...['paymaster-rpc', 'dashboard', 'settlement'].flatMap((app) => [
    `${app} -> nats:client`,
    `${app} -> postgres:5432`,
    `${app} -> dns:53`,
    `${app} -> internet:443`,
    `prometheus -> ${app}:monitor`,
  ]),
  ...['paymaster-rpc', 'dashboard'].flatMap((app) => [`ingress-controller -> ${app}:http`, `${app} -> internet:8443`]),
  ...['dashboard-migrate', 'settlement-migrate'].flatMap((job) => [`${job} -> postgres:5432`, `${job} -> dns:53`]),
  'settlement-stream -> nats:client',
  'settlement-stream -> dns:53',
  'nats -> nats:cluster',
  'nats -> dns:53',
];

/** Of the Ingress: REST or JSON-RPC, and those that the dashboard serves its page at. */
const API_PATHS = ['Prefix /api'];
const PAGE_PATHS = [
  ...['Exact /', 'Exact /sign-in', 'Exact /no-account', 'Exact /operator', 'Exact /favicon.svg'],
  ...['Prefix /a', 'Prefix /assets', 'Prefix /docs'],
];

/** The Service that clients are led to has no monitor port, and the Ingress no path but the public ones, over TLS. */
export const onlyTheApiIsPublic: Policy = (objects) => [
  ...ofKind<{ rules: IngressRule[]; tls?: Array<{ hosts: string[] }> }>(objects, 'Ingress').flatMap(({ name, spec }) =>
    spec.rules.flatMap(({ host, http }) => [
      ...(spec.tls?.some(({ hosts }) => hosts.includes(host)) ? [] : [`Ingress ${name}: ${host} has no TLS`]),
      ...http.paths
        .filter(({ path, pathType }) => !publicPathsOf(name).includes(`${pathType} ${path}`))
        .map(({ path }) => `Ingress ${name}: lets ${path} in`),
      ...publicPathsOf(name)
        .filter((wanted) => !http.paths.some(({ path, pathType }) => wanted === `${pathType} ${path}`))
        .map((wanted) => `Ingress ${name}: does not let ${wanted} in`),
      ...http.paths
        .filter(({ backend }) => !workloadsOf(objects).some((each) => each.name === backend.service.name))
        .map(({ backend }) => `Ingress ${name}: leads to ${backend.service.name}, which is no app`),
    ]),
  ),
  ...ofKind<{ type?: string; clusterIP?: string; ports: Array<{ name: string; targetPort: unknown }> }>(
    objects,
    'Service',
  ).flatMap(({ name, spec }) => [
    ...(spec.type && spec.type !== 'ClusterIP' ? [`Service ${name}: is ${spec.type}`] : []),
    ...(spec.ports.some(({ targetPort }) => targetPort === 'monitor') && !name.endsWith('-monitor')
      ? [`Service ${name}: has the monitor port`]
      : []),
  ]),
];

interface IngressRule {
  host: string;
  http: { paths: Array<{ path: string; pathType: string; backend: { service: { name: string } } }> };
}

function publicPathsOf(ingress: string): readonly string[] {
  return ingress === 'dashboard' ? [...API_PATHS, ...PAGE_PATHS] : API_PATHS;
}
