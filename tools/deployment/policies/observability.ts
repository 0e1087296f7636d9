import type { KubernetesObject } from '../render';
import { ofKind, selects, type Policy } from './policy';

interface MonitorSpec {
  jobLabel: string;
  selector: { matchLabels?: Record<string, string> };
  endpoints: Array<{ port: string }>;
}
interface ServiceSpec {
  ports: Array<{ name: string }>;
}

const labelsOf = ({ metadata }: KubernetesObject): Record<string, string> => metadata.labels ?? {};

/** Where Prometheus is told what to scrape, it is all Services that are there for it, by a port and a label they have. */
export const monitorsFindServices: Policy = (objects) => {
  const services = objects.filter(({ kind }) => kind === 'Service');
  return ofKind<MonitorSpec>(objects, 'ServiceMonitor').flatMap(({ name, spec }) => {
    const found = services.filter((service) => selects(spec.selector, labelsOf(service)));
    const forIt = services.filter(({ metadata }) => metadata.name.endsWith('-monitor'));
    return [
      ...forIt.filter((each) => !found.includes(each)).map((each) => `${name}: misses ${each.metadata.name}`),
      ...found.filter((each) => !forIt.includes(each)).map((each) => `${name}: scrapes ${each.metadata.name}`),
      ...found.filter((each) => !labelsOf(each)[spec.jobLabel]).map((each) => `${name}: ${each.metadata.name} no job`),
      ...found.flatMap((each) =>
        spec.endpoints
          .filter(({ port }) => !(each.spec as ServiceSpec).ports.some((has) => has.name === port))
          .map(({ port }) => `${name}: ${each.metadata.name} has no port ${port}`),
      ),
    ];
  });
};
