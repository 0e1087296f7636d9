import type { POLICIES } from './index';

/** What finds a mistake: the schema, or the policy of this name. */
type Finder = 'schema' | keyof typeof POLICIES;

const POD = 'spec.template.spec';
const BOX = `${POD}.containers.0`;
const BOX_SECURITY = `${BOX}.securityContext`;

const PART_OF = { 'app.kubernetes.io/part-of': 'paymaster-platform' };

/** One field of one object of production, what it is set to (undefined: taken away), and what has to find it. */
export const MISTAKES: ReadonlyArray<[Finder, string, string, unknown]> = [
  // Misspelt, at every depth.
  ['schema', 'Deployment dashboard', 'sepc', {}],
  ['schema', 'Deployment dashboard', 'metadata.lables', {}],
  ['schema', 'Deployment dashboard', 'spec.minReadySecond', 5],
  ['schema', 'Deployment dashboard', 'spec.template.metadata.label', {}],
  ['schema', 'Deployment dashboard', `${POD}.terminationGracePeriod`, 30],
  ['schema', 'Deployment dashboard', `${BOX}.imagePulPolicy`, 'Always'],
  ['schema', 'Deployment dashboard', `${BOX_SECURITY}.readonlyRootFilesystem`, true],
  ['schema', 'Deployment dashboard', `${BOX}.livenessProbe.httpGet.headers`, []],
  ['schema', 'Deployment dashboard', `${BOX_SECURITY}.capabilities.Drop`, ['ALL']],
  ['schema', 'StatefulSet nats', `${POD}.volumes.2.secret.items.0.mod`, 288],
  ['schema', 'StatefulSet nats', 'spec.volumeClaimTemplates.0.spec.resource', {}],
  ['schema', 'NetworkPolicy dashboard', 'spec.egress.1.to.0.ipBlock.exept', ['10.0.0.0/8']],
  ['schema', 'NetworkPolicy default-deny', 'spec.policyType', ['Ingress']],
  ['schema', 'HorizontalPodAutoscaler dashboard', 'spec.metrics.1.pods.target.averageValues', '1'],
  ['schema', 'Ingress dashboard', 'spec.rules.0.http.paths.0.backend.service.ports', {}],
  ['schema', 'PodDisruptionBudget nats', 'spec.maxUnavailble', 1],
  ['schema', 'ServiceAccount nats', 'automountServiceAcountToken', false],
  // Of the wrong type, or missing.
  ['schema', 'Deployment dashboard', `${POD}.containers`, undefined],
  ['schema', 'Deployment dashboard', 'spec.selector', undefined],
  ['schema', 'Deployment dashboard', `${BOX}.ports.0.containerPort`, '3001'],
  ['schema', 'Service nats', 'spec.ports', 'client'],
  ['schema', 'Job dashboard-migrate', `${POD}.restartPolicy`, 'never'],
  ['schema', 'NetworkPolicy dns', 'apiVersion', 'networking.k8s.io/v2'],
  // Shutdown.
  ['graceCoversTheShutdown', 'Deployment dashboard', `${POD}.terminationGracePeriodSeconds`, 20],
  ['graceCoversTheShutdown', 'ConfigMap dashboard', 'data.DRAIN_SECONDS', '30'],
  ['graceCoversTheShutdown', 'Deployment dashboard', `${BOX}.lifecycle`, undefined],
  // References.
  ['configurationIsThere', 'Deployment dashboard', `${BOX}.envFrom.0.configMapRef.name`, 'dashboards'],
  ['configurationIsThere', 'Deployment dashboard', `${POD}.volumes.1.secret.secretName`, 'settlement'],
  ['configurationIsThere', 'StatefulSet nats', `${BOX}.env.2.valueFrom.secretKeyRef.key`, 'password'],
  ['filesAreMounted', 'Deployment dashboard', `${BOX}.volumeMounts.1.mountPath`, '/etc/secrets'],
  ['filesAreMounted', 'ConfigMap settlement', 'data.CHAINS_FILE', '/etc/paymaster/chains.json'],
  ['filesAreMounted', 'Deployment dashboard', `${BOX}.volumeMounts.1.name`, 'secret'],
  ['identitiesAreThere', 'Deployment dashboard', `${POD}.priorityClassName`, 'paymaster'],
  ['identitiesAreThere', 'ServiceAccount migrations', 'metadata.name', 'migration'],
  ['selectorsFindTheirPods', 'Deployment dashboard', 'spec.selector.matchLabels', { app: 'dashboard' }],
  ['servicesReachPods', 'Service paymaster-rpc', 'spec.selector', { app: 'paymaster-rpc' }],
  ['servicesReachPods', 'Service paymaster-rpc', 'spec.ports.0.targetPort', 'https'],
  ['ingressesReachServices', 'Ingress dashboard', 'spec.rules.0.http.paths.0.backend.service.port.name', 'web'],
  ['statefulSetsHaveNames', 'StatefulSet nats', 'spec.serviceName', 'nats'],
  // Secrets.
  ['noSecretInPlainSight', 'ConfigMap dashboard', 'data.DATABASE_URL', 'postgres://db/paymaster'],
  ['noSecretInPlainSight', 'ConfigMap event-stream', 'data.NATS_URL', 'nats://settlement:hunter2@nats:4222'],
  [
    'noSecretInPlainSight',
    'ConfigMap chains',
    'data.chains.json',
    `{"rpcUrls":["https://rpc.io/v2/aB3dE5gH7jK9mN1pQ3sT"]}`,
  ],
  [
    'noSecretInPlainSight',
    'Deployment dashboard',
    `${BOX}.env`,
    [{ name: 'API_KEY_INDEX_KEY', value: 'ab'.repeat(32) }],
  ],
  ['noSecretInPlainSight', 'Deployment dashboard', `${BOX}.args`, ['--key', `0x${'5'.repeat(64)}`]],
  // Availability.
  ['poolsFitPostgres', 'ConfigMap paymaster-rpc', 'data.DATABASE_POOL_SIZE', '10'],
  ['streamsAreReplicated', 'ConfigMap event-stream', 'data.STREAM_REPLICAS', '1'],
  ['streamsAreReplicated', 'StatefulSet nats', 'spec.replicas', 5],
  // Network.
  ['everythingIsDeniedFirst', 'NetworkPolicy default-deny', 'spec.policyTypes', ['Ingress']],
  ['rulesNamePeersAndPorts', 'NetworkPolicy postgres', 'spec.egress.0.to', undefined],
  ['rulesNamePeersAndPorts', 'NetworkPolicy dashboard', 'spec.egress.1.ports', undefined],
  ['rulesFindPods', 'NetworkPolicy dashboard', 'spec.podSelector', named('dashbord')],
  ['rulesFindPods', 'NetworkPolicy settlement', 'spec.egress.0.ports.0.port', 'clients'],
  ['internetIsNotInside', 'NetworkPolicy dashboard', 'spec.egress.1.to.0.ipBlock.except', ['10.0.0.0/8']],
  ['internetIsNotInside', 'NetworkPolicy dashboard', 'spec.egress.1.to.1.ipBlock.cidr', '::/0'],
  ['allowancesAreExact', 'NetworkPolicy paymaster-rpc', 'spec.ingress.0.ports.0.port', 'monitor'],
  ['allowancesAreExact', 'NetworkPolicy paymaster-rpc', 'spec.ingress.1.from.0.podSelector', undefined],
  ['allowancesAreExact', 'NetworkPolicy nats', 'spec.ingress.0.from.0', { namespaceSelector: {} }],
  ['allowancesAreExact', 'NetworkPolicy postgres', 'spec.podSelector', {}],
  ['allowancesAreExact', 'NetworkPolicy settlement', 'spec.egress.1.ports.0.port', 8545],
  ['onlyTheApiIsPublic', 'Ingress paymaster-rpc', 'spec.rules.0.http.paths.0.path', '/'],
  ['onlyTheApiIsPublic', 'Ingress dashboard', 'spec.rules.0.http.paths.1.path', '/metrics'],
  ['onlyTheApiIsPublic', 'Ingress dashboard', 'spec.rules.0.http.paths.1.pathType', 'Prefix'],
  ['onlyTheApiIsPublic', 'Ingress dashboard', 'spec.rules.0.http.paths', []],
  ['onlyTheApiIsPublic', 'Ingress paymaster-rpc', 'spec.tls', undefined],
  ['onlyTheApiIsPublic', 'Service dashboard', 'spec.ports.0.targetPort', 'monitor'],
  ['onlyTheApiIsPublic', 'Service dashboard', 'spec.type', 'LoadBalancer'],
  // Environment.
  ['variablesAreKnown', 'ConfigMap dashboard', 'data.DRAIN_SECOND', '5'],
  ['variablesAreKnown', 'ConfigMap settlement', 'data.CHAINS_FILE', undefined],
  ['portsAreThoseOfTheApp', 'ConfigMap dashboard', 'data.MONITOR_PORT', '9000'],
  ['portsAreThoseOfTheApp', 'Deployment settlement', `${BOX}.ports.0.containerPort`, 9002],
  ['pageKnowsItsAddress', 'ConfigMap dashboard', 'data.PUBLIC_URL', 'https://elsewhere.example.org'],
  ['pageKnowsItsAddress', 'ConfigMap dashboard', 'data.PUBLIC_GATEWAY_URL', undefined],
  ['proxiesAreTrusted', 'ConfigMap paymaster-rpc', 'data.TRUSTED_PROXIES', '0'],
  ['ingressLimitsAreTheApps', 'ConfigMap dashboard', 'data.MAX_BODY_BYTES', '2097152'],
  ['ingressLimitsAreTheApps', 'Ingress paymaster-rpc', 'metadata.annotations', {}],
  ['namespaceIsRestricted', 'Namespace paymaster', 'metadata.labels', {}],
  ['namespaceIsRestricted', 'Service nats', 'metadata.namespace', 'default'],
  // Observability.
  ['monitorsFindServices', 'Service settlement-monitor', 'metadata.labels', {}],
  ['monitorsFindServices', 'ServiceMonitor paymaster-platform', 'spec.selector.matchLabels', PART_OF],
  ['monitorsFindServices', 'ServiceMonitor paymaster-platform', 'spec.endpoints.0.port', 'metrics'],
  ['monitorsFindServices', 'ServiceMonitor paymaster-platform', 'spec.jobLabel', 'app'],
];

function named(name: string): object {
  return { matchLabels: { 'app.kubernetes.io/name': name } };
}
