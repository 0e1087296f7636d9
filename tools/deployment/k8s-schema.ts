import type { KubernetesObject } from './render';
import { unknownKeys } from './k8s-known-keys';
import { isOfPrometheusOperator, monitoringProblems } from './k8s-monitoring-schema';

/**
 * Whether an object fits the Kubernetes schema of its kind: types, enumerations and required fields by the schema's own
 * validator, and no key that the schema does not have, at any depth: that validator lets those pass, as an API server
 * does, which then leaves out what somebody wrote.
 *
 * @returns what is wrong, empty when nothing is
 */
export async function schemaProblems(object: KubernetesObject): Promise<string[]> {
  if (isOfPrometheusOperator(object)) return monitoringProblems(object);
  const models = (await import(`kubernetes-models/${object.apiVersion}`).catch(() => ({}))) as Record<string, Model>;
  const Kind = models[object.kind];
  if (!Kind) return [`there is no schema for ${object.apiVersion} ${object.kind}`];
  const unknown = unknownKeys(object).map((path) => `${path} is not in the schema`);
  try {
    new Kind(object).validate();
    return unknown;
  } catch (error) {
    return [...unknown, (error as Error).message];
  }
}

type Model = new (data: unknown) => { validate(): void };
