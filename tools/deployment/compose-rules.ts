import { parseCompose, type Compose, type ComposeService } from './compose-schema';
import { environmentProblems, variablesOf } from './environment';

const PINNED = /^[a-z0-9./-]+:(?!latest@)[\w.-]+@sha256:[0-9a-f]{64}$/;
const OWN = /^paymaster-platform\/[a-z-]+:\d+\.\d+\.\d+$/;
const SECRET_FILE = /^\/run\/secrets\/(.+)$/;
const SECRET_NAME = /PASSWORD|PASSPHRASE|SECRET|TOKEN|PRIVATE|_KEY$|DATABASE_URL/;
/** Services that are an app of ours; those that migrate know the database and nothing else. */
const APPS = ['dashboard', 'paymaster-rpc', 'settlement'];
/** Only these may be asked from outside, and only from this machine. */
const PUBLIC_APPS = ['dashboard', 'paymaster-rpc'];

type ServiceRule = (name: string, service: ComposeService, compose: Compose) => string[];

const RULES: readonly ServiceRule[] = [
  pinned,
  hardened,
  limited,
  watched,
  published,
  secretsAsFiles,
  references,
  ordered,
];

/** Everything that is wrong with a compose file; empty when nothing is. */
export function composeProblems(source: string): string[] {
  const { compose, problems } = parseCompose(source);
  if (problems.length > 0) return problems;
  const services = Object.entries(compose.services);
  return [
    ...services.flatMap(([name, service]) => RULES.flatMap((rule) => rule(name, service, compose))).map(String),
    ...APPS.flatMap((app) => {
      const service = compose.services[app];
      return service
        ? environmentProblems(app, Object.keys(service.environment ?? {}))
        : [`there is no service ${app}`];
    }),
    ...(compose.networks['backend']?.internal ? [] : ['the network backend has a way out']),
  ];
}

function pinned(name: string, { image = '', build }: ComposeService): string[] {
  if (build) return OWN.test(image) ? [] : [`${name}: image ${image} of ours has no version`];
  return PINNED.test(image) ? [] : [`${name}: image ${image} is not pinned: name:version@sha256:digest is`];
}

function hardened(name: string, service: ComposeService): string[] {
  const { read_only, cap_drop, security_opt, cap_add = [], user = '' } = service;
  const root = user.startsWith('0') && service.network_mode !== 'none';
  return [
    ...(read_only ? [] : [`${name}: read_only is not set`]),
    ...(cap_drop?.includes('ALL') ? [] : [`${name}: cap_drop is not ALL`]),
    ...(security_opt?.includes('no-new-privileges:true') ? [] : [`${name}: no-new-privileges is not set`]),
    ...(cap_add.length === 0 || service.network_mode === 'none' ? [] : [`${name}: cap_add beside a network`]),
    ...(root ? [`${name}: runs as root beside a network`] : []),
    ...(service.build || /^\d+:\d+$/.test(user) ? [] : [`${name}: user is not two numbers`]),
  ];
}

function limited(name: string, { mem_limit, pids_limit, restart, init }: ComposeService): string[] {
  return [
    ...(mem_limit ? [] : [`${name}: mem_limit is not set`]),
    ...(pids_limit ? [] : [`${name}: pids_limit is not set`]),
    ...(restart ? [] : [`${name}: restart is not set`]),
    ...(init ? [] : [`${name}: init is not set, so a signal before the process listens for it is lost`]),
  ];
}

/** What stays has a healthcheck; what ends is not asked. */
function watched(name: string, { restart = '', healthcheck }: ComposeService): string[] {
  const stays = !restart.startsWith('on-failure');
  return stays && (healthcheck?.test ?? []).length === 0 ? [`${name}: healthcheck is not set`] : [];
}

/** On loopback, and never the port of probes and metrics. */
function published(name: string, { ports = [], profiles = [] }: ComposeService): string[] {
  const allowed = PUBLIC_APPS.includes(name) || profiles.includes('devnet');
  return ports.flatMap((port) => {
    const [, inside = ''] = /:(\d+)$/.exec(port) ?? [];
    const wanted = PUBLIC_APPS.includes(name) ? defaultPort(name) : inside;
    return [
      ...(allowed ? [] : [`${name}: publishes ${port}`]),
      ...(port.startsWith('127.0.0.1:') ? [] : [`${name}: publishes ${port} on more than this machine`]),
      ...(inside === wanted ? [] : [`${name}: publishes ${inside}, which is not its PORT`]),
    ];
  });
}

function defaultPort(app: string): string | undefined {
  return variablesOf(app).defaults['PORT'];
}

function secretsAsFiles(name: string, { environment = {}, secrets = [] }: ComposeService, compose: Compose): string[] {
  const files = Object.values(environment).flatMap((value) => SECRET_FILE.exec(value)?.[1] ?? []);
  return [
    ...Object.keys(environment)
      .filter((variable) => SECRET_NAME.test(variable) && !variable.endsWith('_FILE'))
      .map((variable) => `${name}: ${variable} is a secret in the environment; ${variable}_FILE names a file`),
    ...files.filter((file) => !secrets.includes(file)).map((file) => `${name}: the secret ${file} is not mounted`),
    ...secrets.filter((secret) => !compose.secrets[secret]).map((secret) => `${name}: there is no secret ${secret}`),
  ];
}

function references(name: string, service: ComposeService, compose: Compose): string[] {
  const volumes = (service.volumes ?? [])
    .map((volume) => volume.split(':')[0] ?? '')
    .filter((source) => /^\w/.test(source));
  return [
    ...volumes.filter((volume) => !compose.volumes[volume]).map((volume) => `${name}: there is no volume ${volume}`),
    ...(service.networks ?? [])
      .filter((network) => !compose.networks[network])
      .map((network) => `${name}: there is no network ${network}`),
    ...(service.networks || service.network_mode ? [] : [`${name}: says no network, and gets one with a way out`]),
  ];
}

/** Whoever is waited for exists, can be healthy or can end, and is up whenever the one who waits is. */
function ordered(name: string, service: ComposeService, compose: Compose): string[] {
  const waits = Object.entries(service.depends_on ?? {}).flatMap(([other, { condition, required = true }]) => {
    const target = compose.services[other];
    if (!target) return [`${name}: waits for ${other}, which is not there`];
    const ends = (target.restart ?? '').startsWith('on-failure');
    const optional = (target.profiles ?? []).some((profile) => !service.profiles?.includes(profile));
    return [
      ...((condition === 'service_completed_successfully') === ends
        ? []
        : [`${name}: ${other} will never be ${condition}`]),
      ...(optional && required ? [`${name}: needs ${other}, which only a profile starts`] : []),
    ];
  });
  const migration = { dashboard: 'migrate-dashboard', settlement: 'migrate-ledger', 'paymaster-rpc': 'migrate-ledger' }[
    name
  ];
  const before = [...(migration ? [migration] : []), ...(name === 'settlement' ? ['make-stream'] : [])];
  return [
    ...waits,
    ...before.filter((job) => !service.depends_on?.[job]).map((job) => `${name}: starts before ${job} has ended`),
  ];
}
