import { read } from './environment';
import { MISTAKES } from './k8s-mistakes';
import { schemaProblems } from './k8s-schema';
import { POLICIES } from './policies';
import { SECRETS } from './policies/secrets';
import { OVERLAYS, renderOverlay, type KubernetesObject, type OverlayName } from './render';

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

/** By kind and name; a config map without its hash. */
function find(objects: KubernetesObject[], wanted: string): KubernetesObject {
  const found = objects.find(({ kind, metadata: { name } }) => {
    const plain = kind === 'ConfigMap' ? name.replace(/-[a-z0-9]{10}$/, '') : name;
    return `${kind} ${plain}` === wanted;
  });
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
