import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ROOT } from './environment';
import { OVERLAYS, renderOverlay, type KubernetesObject } from './render';

const byName = (objects: KubernetesObject[]): Record<string, KubernetesObject> =>
  Object.fromEntries(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]));

/** What kubectl renders; undefined on a machine that has none. */
function kubectl(overlay: string): KubernetesObject[] | undefined {
  try {
    const text = execFileSync('kubectl', ['kustomize', join(ROOT, 'k8s/overlays', overlay)], { encoding: 'utf8' });
    return parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

describe('renderOverlay', () => {
  it.each(OVERLAYS)('renders %s as kubectl does, where it is installed', (overlay) => {
    const rendered = renderOverlay(overlay);
    expect(byName(rendered)).toEqual(byName(kubectl(overlay) ?? rendered));
  });
});
