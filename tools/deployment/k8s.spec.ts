import { read } from './environment';
import { MISTAKES } from './policies/k8s-mistakes';
import { schemaProblems } from './k8s-schema';
import { POLICIES } from './policies';
import { SECRETS } from './policies/secrets';
import { silentMistakes } from './policies/kustomization-mistakes';
import { folderOf, OVERLAYS, renderOverlay, replicasOf, type KubernetesObject, type OverlayName } from './render';

const rendered = Object.fromEntries(OVERLAYS.map((name) => [name, renderOverlay(name)])) as Record<
  OverlayName,
  KubernetesObject[]
>;

describe.each(OVERLAYS)('overlay %s', (overlay) => {
  const objects = rendered[overlay];
  const titled = objects.map((object) => [`${object.kind} ${object.metadata.name}`, object] as const);

  it.each(titled)('%s fits its schema and has no key that is not in it', async (_title, object) => {
    expect(await schemaProblems(object)).toEqual([]);
  });

  it.each(Object.entries(POLICIES))('%s', (_name, policy) => {
    expect(policy(objects)).toEqual([]);
  });

  it('says nothing that kubectl leaves out in silence', () => {
    expect(silentMistakes(folderOf(overlay), objects)).toEqual([]);
  });

  it('names a config map by its content, so that a change of it starts a rollout', () => {
    const unhashed = objects.filter((each) => each.kind === 'ConfigMap' && titleOf(each).endsWith(each.metadata.name));
    // No pod reads the dashboard of Grafana.
    expect(unhashed.map(titleOf)).toEqual(overlay === 'prod-observed' ? ['ConfigMap grafana-dashboard'] : []);
  });

  it('gives the password of the job that makes the stream to that job and to NATS only', () => {
    const named = objects.filter((each) => JSON.stringify(each).includes('"stream-maker"'));
    expect(named.map(titleOf).sort()).toEqual(['Job settlement-stream', 'StatefulSet nats']);
  });

  it('applies what the job that makes the stream needs before the apps', () => {
    const first = objects.filter(({ metadata }) => metadata.labels?.['paymaster.platform/rollout'] === 'first');
    const needed = ['StatefulSet nats', 'Service nats', 'Service nats-routes', 'ConfigMap nats'];
    expect(first.map(titleOf)).toEqual(
      expect.arrayContaining([...needed, 'ConfigMap event-stream', 'Job settlement-stream']),
    );
  });

  it('gives NATS every file that its server.conf includes', () => {
    const files = find(objects, 'ConfigMap nats').data as Record<string, string>;
    const included = [...(files['server.conf'] ?? '').matchAll(/^include \.\/(\S+)$/gm)].map((match) => match[1]);
    expect(included).toEqual(['tls.conf', 'cluster.conf', 'nats.conf']);
    expect(Object.keys(files)).toEqual(expect.arrayContaining(included));
  });
});

describe('the overlays', () => {
  it('have all of prod unchanged in prod-observed', () => {
    expect(rendered['prod-observed']).toEqual(expect.arrayContaining(rendered.prod));
  });

  it('start one pod of everything in dev, and in prod the least that the autoscalers keep', () => {
    const starting = (overlay: OverlayName): Record<string, number> => {
      const workloads = rendered[overlay].filter(({ kind }) => ['Deployment', 'StatefulSet'].includes(kind));
      return Object.fromEntries(
        workloads.map((each) => [each.metadata.name, replicasOf(rendered[overlay], each)] as const),
      );
    };
    expect(starting('prod')).toEqual({ 'paymaster-rpc': 3, dashboard: 2, settlement: 2, nats: 3 });
    expect(starting('dev')).toEqual({ 'paymaster-rpc': 1, dashboard: 1, settlement: 1, nats: 1 });
  });
});

describe('k8s/README.md', () => {
  it.each(Object.entries(SECRETS))('lists the secret %s with all its keys', (name, keys) => {
    const row = read('k8s/README.md')
      .split('\n')
      .find((line) => line.startsWith(`| \`${name}\``));
    for (const key of keys) expect(row).toContain(`\`${key}\``);
  });
});

describe('one field that is wrong', () => {
  it.each(MISTAKES)('%s finds it: %s, %s = %j', async (finder, name, path, value) => {
    const objects = structuredClone(rendered['prod-observed']);
    const object = find(objects, name);
    setField({ object, path, value });
    const problems = finder === 'schema' ? await schemaProblems(object) : POLICIES[finder]?.(objects);
    expect(problems).not.toEqual([]);
  });

  it('of every policy there is one above', () => {
    const found = new Set(MISTAKES.map(([finder]) => finder));
    expect(Object.keys(POLICIES).filter((name) => !found.has(name))).toEqual([]);
  });
});

/** Kind and name; a config map's without the hash of its content. */
const titleOf = ({ kind, metadata: { name } }: KubernetesObject): string =>
  `${kind} ${kind === 'ConfigMap' ? name.replace(/-[a-z0-9]{10}$/, '') : name}`;

function find(objects: KubernetesObject[], wanted: string): KubernetesObject {
  const found = objects.find((object) => titleOf(object) === wanted);
  if (!found) throw new Error(`there is no ${wanted}`);
  return found;
}

function setField({ object, path, value }: { object: object; path: string; value: unknown }): void {
  // The one name with a dot in it.
  const keys = path
    .replace('chains.json', 'chains~json')
    .split('.')
    .map((key) => key.replace('~', '.'));
  const last = keys.pop() ?? '';
  let place = object as Record<string, unknown>;
  for (const key of keys) {
    if (!place[key]) throw new Error(`there is no ${key} on the way to ${path}`);
    place = place[key] as Record<string, unknown>;
  }
  if (value !== undefined) place[last] = value;
  else if (place[last] === undefined) throw new Error(`there is no ${path} to take away`);
  else if (Array.isArray(place)) place.splice(Number(last), 1);
  else delete place[last];
}
