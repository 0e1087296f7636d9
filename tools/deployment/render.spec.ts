import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { replicasOf, renderOverlay } from './render';
import { renderKustomization } from './render-kustomization';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'render-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes files and renders their `kustomization.yaml`. */
function render(files: Record<string, string>): ReturnType<typeof renderKustomization> {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return renderKustomization(folder);
}

const SERVICE = 'apiVersion: v1\nkind: Service\nmetadata: { name: a }\nspec: { ports: [{ port: 1, name: x }] }\n';

describe('renderKustomization', () => {
  it.each([
    ['a transformer that it does not know', 'commonLabels: { a: b }', /commonLabels is not a key/],
    ['an option of one that it knows', 'configMapGenerator: [{ name: c, literals: [a=b] }]', /literals is not a key/],
    ['labels in selectors', 'labels: [{ pairs: { a: b }, includeSelectors: true }]', /includeSelectors is not a key/],
    ['a config map that there is not', 'configMapGenerator: [{ name: c, behavior: merge }]', /no config map c/],
    ['another behaviour', 'configMapGenerator: [{ name: c, behavior: replace }]', /behavior is not merge/],
    ['a file above its folder', 'configMapGenerator: [{ name: c, files: [../x] }]', /not inside/],
    ['a component that is none', 'components: [other]', /is not a Component/],
    ['a component as a resource', 'resources: [a.yaml, component]', /is not a Kustomization/],
    ['a component that changes what takes it in', 'components: [patching]', /patches in a component/],
    ['options that it does not know', 'configMapGenerator: [{ name: c, options: { immutable: true } }]', /immutable/],
    ['replicas of nothing', 'replicas: [{ name: c, count: 2 }]', /there is no c/],
  ])('refuses %s', (_title, line, message) => {
    const resources = line.startsWith('resources') ? '' : 'resources: [a.yaml]\n';
    const files = {
      'kustomization.yaml': `kind: Kustomization\n${resources}${line}\n`,
      'a.yaml': SERVICE,
      'component/kustomization.yaml': 'kind: Component\n',
      'other/kustomization.yaml': 'kind: Kustomization\n',
      'patching/kustomization.yaml': 'kind: Component\npatches: []\n',
    };
    expect(() => render(files)).toThrow(message);
  });

  it.each([
    ['of an object that is not there', 'kind: Service\nmetadata: { name: b }', /there is no Service b/],
    ['with a directive that it does not know', 'kind: Service\nmetadata: { name: a }\n$patch: replace', /\$patch/],
    ['of a list without a key', 'kind: Service\nmetadata: { name: a }\nspec: { ports: [{ name: y }] }', /knows no key/],
    ['without a target', '- { op: replace, path: /spec/type, value: b }', /needs a target/],
  ])('refuses a patch %s', (_title, patch, message) => {
    const files = { 'a.yaml': SERVICE, 'p.yaml': patch };
    const kustomization = 'resources: [a.yaml]\npatches: [{ path: p.yaml }]\n';
    expect(() => render({ 'kustomization.yaml': kustomization, ...files })).toThrow(message);
  });

  it.each([
    ['replace', '/spec/type', /nothing at/],
    ['remove', '/spec/ports/0', /not something that this renderer knows/],
    ['move', '/spec/ports', /not something that this renderer knows/],
  ])('refuses to %s %s', (op, path, message) => {
    const kustomization = 'resources: [a.yaml]\npatches: [{ path: p.yaml, target: { kind: Service, name: a } }]\n';
    const patch = `- { op: ${op}, path: ${path}, value: 1 }\n`;
    const files = { 'kustomization.yaml': kustomization, 'a.yaml': SERVICE, 'p.yaml': patch };
    expect(() => render(files)).toThrow(message);
  });

  it('names a config map by its content, so that a change of it starts a rollout', () => {
    const kustomization = 'configMapGenerator: [{ name: c, envs: [c.env] }]\n';
    const first = render({ 'kustomization.yaml': kustomization, 'c.env': '# comment\nA=1\n' });
    const second = render({ 'kustomization.yaml': kustomization, 'c.env': 'A=2\n' });
    expect(first[0]).toMatchObject({ metadata: { name: expect.stringMatching(/^c-[a-z0-9]{10}$/) }, data: { A: '1' } });
    expect(second[0]?.metadata.name).not.toBe(first[0]?.metadata.name);
  });
});

describe('a component', () => {
  it('adds what it has, in the namespace of who takes it in, and a config map by its own name where it says so', () => {
    const options = '{ disableNameSuffixHash: true, labels: { grafana_dashboard: "1" } }';
    const objects = render({
      'kustomization.yaml': 'kind: Kustomization\nnamespace: n\nresources: [a.yaml]\ncomponents: [component]\n',
      'a.yaml': SERVICE,
      'component/kustomization.yaml': `kind: Component\nconfigMapGenerator: [{ name: c, files: [f], options: ${options} }]\n`,
      'component/f': 'text',
    });
    expect(objects[1]).toEqual({
      ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { f: 'text' } },
      metadata: { name: 'c', namespace: 'n', labels: { grafana_dashboard: '1' } },
    });
  });
});

describe('replicasOf', () => {
  it('is the number of the workload, or the least that its autoscaler keeps', () => {
    const starting = (overlay: 'dev' | 'prod'): Record<string, number> => {
      const objects = renderOverlay(overlay);
      const workloads = objects.filter(({ kind }) => ['Deployment', 'StatefulSet'].includes(kind));
      return Object.fromEntries(workloads.map((each) => [each.metadata.name, replicasOf(objects, each)]));
    };
    expect(starting('prod')).toEqual({ 'paymaster-rpc': 3, dashboard: 2, settlement: 2, nats: 3 });
    expect(starting('dev')).toEqual({ 'paymaster-rpc': 1, dashboard: 1, settlement: 1, nats: 1 });
  });
});
