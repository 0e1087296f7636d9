import type { Container, Volume } from '../pod-spec';
import type { KubernetesObject } from '../render';
import { SECRETS } from './secrets';
import { configMapData, containersOf, environmentOf, ofKind, selects, workloadsOf, type Policy } from './policy';

/** Every config map, secret and key that a pod names is there. */
export const configurationIsThere: Policy = (objects) =>
  workloadsOf(objects).flatMap((workload) => {
    const missing = (kind: 'ConfigMap' | 'Secret', name: string | undefined, keys: string[]): string[] => {
      const known = kind === 'Secret' ? SECRETS[name ?? ''] : configMapKeys(objects, name);
      if (!known) return [`${workload.name}: there is no ${kind} ${name}`];
      return keys.filter((key) => !known.includes(key)).map((key) => `${workload.name}: ${kind} ${name} has no ${key}`);
    };
    const keysOf = (items: Array<{ key: string }> = []): string[] => items.map(({ key }) => key);
    return [
      ...(workload.pod.volumes ?? []).flatMap(({ configMap, secret }) => [
        ...(configMap ? missing('ConfigMap', configMap.name, keysOf(configMap.items)) : []),
        ...(secret ? missing('Secret', secret.secretName, keysOf(secret.items)) : []),
      ]),
      ...containersOf(workload).flatMap(({ envFrom = [], env = [] }) => [
        ...envFrom.flatMap(({ configMapRef }) => missing('ConfigMap', configMapRef?.name, [])),
        ...env.flatMap(({ valueFrom: { configMapKeyRef, secretKeyRef } = {} }) => [
          ...(configMapKeyRef ? missing('ConfigMap', configMapKeyRef.name, [configMapKeyRef.key]) : []),
          ...(secretKeyRef ? missing('Secret', secretKeyRef.name, [secretKeyRef.key]) : []),
        ]),
      ]),
    ];
  });

const configMapKeys = (objects: readonly KubernetesObject[], name: string | undefined): string[] | undefined => {
  const data = configMapData(objects, name);
  return data && Object.keys(data);
};

/** Every mount has its volume, every volume its mount, and every file that a variable names is in one. */
export const filesAreMounted: Policy = (objects) =>
  workloadsOf(objects).flatMap((workload) => {
    const claims = (workload.object.spec as { volumeClaimTemplates?: Array<{ metadata: { name: string } }> })
      .volumeClaimTemplates;
    const volumes = workload.pod.volumes ?? [];
    const names = [...volumes.map(({ name }) => name), ...(claims ?? []).map(({ metadata }) => metadata.name)];
    const mounts = containersOf(workload).flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name));
    return [
      ...mounts.filter((name) => !names.includes(name)).map((name) => `${workload.name}: there is no volume ${name}`),
      ...names.filter((name) => !mounts.includes(name)).map((name) => `${workload.name}: nothing mounts ${name}`),
      ...containersOf(workload).flatMap((container) => {
        const files = mountedFiles({ container, volumes, objects });
        return Object.entries(environmentOf(container, objects))
          .filter(([name, path]) => name.endsWith('_FILE') && !files.includes(path))
          .map(([name, path]) => `${workload.name}: ${name} names ${path}, which is not mounted`);
      }),
    ];
  });

function mountedFiles(input: {
  container: Container;
  volumes: readonly Volume[];
  objects: readonly KubernetesObject[];
}): string[] {
  const { container, volumes, objects } = input;
  return (container.volumeMounts ?? []).flatMap(({ name, mountPath }) => {
    const volume = volumes.find((each) => each.name === name);
    const items = volume?.secret?.items ?? volume?.configMap?.items;
    const paths = items?.map(({ path }) => path) ?? configMapKeys(objects, volume?.configMap?.name) ?? [];
    return paths.map((path) => `${mountPath}/${path}`);
  });
}

/** Service accounts and priority classes that pods name are there. */
export const identitiesAreThere: Policy = (objects) => {
  const has = (kind: string, name?: string): boolean =>
    objects.some((object) => object.kind === kind && object.metadata.name === name);
  return workloadsOf(objects).flatMap(({ name, pod: { serviceAccountName, priorityClassName } }) => [
    ...(has('ServiceAccount', serviceAccountName) ? [] : [`${name}: there is no ServiceAccount ${serviceAccountName}`]),
    ...(has('PriorityClass', priorityClassName) ? [] : [`${name}: there is no PriorityClass ${priorityClassName}`]),
  ]);
};

/** A workload's selector finds its own pods, and those of nobody else. */
export const selectorsFindTheirPods: Policy = (objects) =>
  workloadsOf(objects)
    .filter(({ serves }) => serves)
    .flatMap(({ name, kind, object }) => {
      const { selector } = object.spec as { selector: { matchLabels?: Record<string, string> } };
      const found = workloadsOf(objects).filter(({ labels }) => selects(selector, labels));
      return found.length === 1 && found[0]?.name === name
        ? []
        : [`${kind} ${name}: its selector finds ${found.length}`];
    });

interface ServiceSpec {
  selector: Record<string, string>;
  ports: Array<{ name: string; port: number; targetPort: string | number }>;
}

/** Every Service finds pods of one workload, and its target ports are ports of those. */
export const servicesReachPods: Policy = (objects) =>
  ofKind<ServiceSpec>(objects, 'Service').flatMap(({ name, spec }) => {
    const found = workloadsOf(objects).filter(({ labels }) => selects({ matchLabels: spec.selector }, labels));
    if (found.length !== 1) return [`Service ${name}: selects pods of ${found.length} workloads`];
    const ports = found.flatMap(containersOf).flatMap((container) => (container.ports ?? []).map((port) => port.name));
    return spec.ports
      .filter(({ targetPort }) => !ports.includes(String(targetPort)))
      .map(({ targetPort }) => `Service ${name}: no pod has a port ${targetPort}`);
  });

interface IngressSpec {
  rules: Array<{ http: { paths: Array<{ backend: { service: { name: string; port: { name: string } } } }> } }>;
}

/** Every Ingress leads to a Service and a port that it has. */
export const ingressesReachServices: Policy = (objects) =>
  ofKind<IngressSpec>(objects, 'Ingress').flatMap(({ name, spec }) =>
    spec.rules.flatMap(({ http }) =>
      http.paths.flatMap(({ backend: { service } }) => {
        const target = ofKind<ServiceSpec>(objects, 'Service').find((each) => each.name === service.name);
        return target?.spec.ports.some((port) => port.name === service.port.name)
          ? []
          : [`Ingress ${name}: there is no port ${service.port.name} of a Service ${service.name}`];
      }),
    ),
  );

/** A stateful set's pods have their names from a headless Service that selects them. */
export const statefulSetsHaveNames: Policy = (objects) =>
  ofKind<{ serviceName: string }>(objects, 'StatefulSet').flatMap(({ name, spec }) => {
    const service = ofKind<{ clusterIP?: string }>(objects, 'Service').find((each) => each.name === spec.serviceName);
    return service?.spec.clusterIP === 'None'
      ? []
      : [`StatefulSet ${name}: ${spec.serviceName} is no headless Service`];
  });
