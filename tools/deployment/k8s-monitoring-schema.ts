import Ajv from 'ajv';
import type { KubernetesObject } from './render';

/**
 * The kinds of the Prometheus Operator that k8s/ uses, `monitoring.coreos.com/v1`, as far as it uses them. Their
 * definitions come with the Operator and are in no package here, so this is written after its API reference, and any
 * other key is refused: whoever needs one looks it up there and adds it.
 */

const text = { type: 'string', minLength: 1 };
const duration = { type: 'string', pattern: '^(0|(\\d+(ms|s|m|h|d|w|y))+)$' };
const mapOf = (value: object) => ({ type: 'object', additionalProperties: value });
const listOf = (items: object) => ({ type: 'array', items, minItems: 1 });
const closed = (properties: object, required: string[]) => ({
  ...{ type: 'object', properties, required, additionalProperties: false },
});
const kind = (name: string, spec: object) =>
  closed(
    {
      apiVersion: { const: 'monitoring.coreos.com/v1' },
      kind: { const: name },
      metadata: closed({ name: text, namespace: text, labels: mapOf(text), annotations: mapOf(text) }, ['name']),
      spec,
    },
    ['apiVersion', 'kind', 'metadata', 'spec'],
  );

const endpoint = closed(
  { port: text, path: { type: 'string', pattern: '^/' }, interval: duration, scrapeTimeout: duration },
  ['port'],
);
const rule = closed({ alert: text, expr: text, for: duration, labels: mapOf(text), annotations: mapOf(text) }, [
  ...['alert', 'expr'],
]);

const SCHEMAS: Readonly<Record<string, object>> = {
  ServiceMonitor: kind(
    'ServiceMonitor',
    closed({ jobLabel: text, selector: closed({ matchLabels: mapOf(text) }, []), endpoints: listOf(endpoint) }, [
      ...['selector', 'endpoints'],
    ]),
  ),
  PrometheusRule: kind(
    'PrometheusRule',
    closed({ groups: listOf(closed({ name: text, rules: listOf(rule) }, ['name', 'rules'])) }, ['groups']),
  ),
};

export const isOfPrometheusOperator = ({ apiVersion }: KubernetesObject): boolean =>
  apiVersion.startsWith('monitoring.coreos.com/');

/** What is wrong with an object of the Prometheus Operator; empty when nothing is. */
export function monitoringProblems(object: KubernetesObject): string[] {
  const schema = SCHEMAS[object.kind];
  if (!schema) return [`there is no schema for ${object.apiVersion} ${object.kind}`];
  const ajv = new Ajv({ allErrors: true });
  ajv.validate(schema, object);
  return (ajv.errors ?? []).map(({ instancePath, message, params }) =>
    `${instancePath} ${message} ${(params as { additionalProperty?: string }).additionalProperty ?? ''}`.trim(),
  );
}
