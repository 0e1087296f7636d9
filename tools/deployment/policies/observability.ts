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

/** Whoever takes the monitor in takes the rules and the dashboard in too, and Grafana's sidecar can read that. */
export const dashboardsAreFound: Policy = (objects) => {
  if (!objects.some(({ kind }) => kind === 'ServiceMonitor')) return [];
  const maps = objects.filter((object) => object.kind === 'ConfigMap' && labelsOf(object)['grafana_dashboard'] === '1');
  const files = maps.flatMap(({ data }) => Object.entries(data as Record<string, string>));
  return [
    ...(objects.some(({ kind }) => kind === 'PrometheusRule') ? [] : ['there are no alert rules']),
    ...(files.length > 0 ? [] : ['there is no dashboard that Grafana finds']),
    ...files
      .filter(([file, text]) => !file.endsWith('.json') || !(JSON.parse(text) as { uid?: string }).uid)
      .map(([file]) => `${file} is no dashboard`),
  ];
};
