import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { environmentProblems, read, ROOT } from './environment';

interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}

const kustomization = parse(read('k8s/base/kustomization.yaml')) as {
  resources: string[];
  configMapGenerator: Array<{ name: string; files?: string[]; envs?: string[] }>;
};
const objects = kustomization.resources.map((file) => parse(read(`k8s/base/${file}`)) as KubernetesObject);

/** Checks an object against the schema of its kind. @throws with the schema's complaint */
async function validate(object: KubernetesObject): Promise<void> {
  const models = (await import(`kubernetes-models/${object.apiVersion}`)) as Record<
    string,
    new (data: unknown) => { validate(): void }
  >;
  const Model = models[object.kind];
  if (!Model) throw new Error(`no schema for ${object.apiVersion} ${object.kind}`);
  new Model(object).validate();
}

describe('kustomize base', () => {
  it.each(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object] as const))(
    '%s fits its schema',
    async (_title, object) => {
      await expect(validate(object)).resolves.toBeUndefined();
    },
  );

  it('a wrong type would be reported', async () => {
    const broken = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'x' }, spec: { ports: 'http' } };
    await expect(validate(broken)).rejects.toThrow();
  });

  it.each(['dashboard', 'paymaster-rpc', 'settlement'])(
    'gives %s exactly variables it knows, and all it needs',
    (app) => {
      const names = read(`k8s/base/${app}/${app}.env`)
        .split('\n')
        .flatMap((line) => /^([A-Z0-9_]+)=/.exec(line)?.[1] ?? []);
      expect(environmentProblems(app, names)).toEqual([]);
    },
  );

  it('every generated config map finds its files', () => {
    for (const { files = [], envs = [] } of kustomization.configMapGenerator) {
      for (const file of [...files, ...envs]) expect(read(`k8s/base/${file}`)).not.toBe('');
    }
  });

  it('renders the same objects with kubectl, where there is one', () => {
    let rendered: string;
    try {
      rendered = execFileSync('kubectl', ['kustomize', join(ROOT, 'k8s/base')], { encoding: 'utf8' });
    } catch (error) {
      // Rendering needs the tool; the checks above hold without it.
      expect((error as NodeJS.ErrnoException).code).toBe('ENOENT');
      return;
    }
    const kinds = parseAllDocuments(rendered).map((document) => (document.toJS() as KubernetesObject).kind);
    expect(kinds.filter((kind) => kind !== 'ConfigMap').sort()).toEqual(objects.map(({ kind }) => kind).sort());
    expect(kinds.filter((kind) => kind === 'ConfigMap')).toHaveLength(kustomization.configMapGenerator.length);
  });
});
