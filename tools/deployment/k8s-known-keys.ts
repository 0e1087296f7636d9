import { join } from 'node:path';
import * as ts from 'typescript';
import { ROOT } from './environment';
import type { KubernetesObject } from './render';

/** Kinds that k8s/ uses; each needs its place in the package of types. */
const KINDS = [
  'v1/Namespace',
  'v1/ConfigMap',
  'v1/Service',
  'v1/ServiceAccount',
  'apps/v1/Deployment',
  'apps/v1/StatefulSet',
  'batch/v1/Job',
  'autoscaling/v2/HorizontalPodAutoscaler',
  'networking.k8s.io/v1/Ingress',
  'networking.k8s.io/v1/NetworkPolicy',
  'policy/v1/PodDisruptionBudget',
  'scheduling.k8s.io/v1/PriorityClass',
];

/**
 * The keys of an object, at any depth, that the type of its kind does not have. The types are generated from the same
 * OpenAPI document as the schemas, and unlike the compiled validators they can be asked what they know.
 *
 * @returns paths such as `spec.template.spec.containers.0.imagePulPolicy`
 */
export function unknownKeys(object: KubernetesObject): string[] {
  const name = `${object.apiVersion}/${object.kind}`;
  const type = typesOfKinds().types.get(name);
  return type ? unknownIn({ value: object, type, path: '' }) : [`${name} (the kind)`];
}

function unknownIn({ value, type, path }: { value: unknown; type: ts.Type; path: string }): string[] {
  if (typeof value !== 'object' || value === null || type.flags & ts.TypeFlags.Any) return [];
  const { checker } = typesOfKinds();
  const numbered = checker.getIndexTypeOfType(type, ts.IndexKind.Number);
  const named = checker.getIndexTypeOfType(type, ts.IndexKind.String);
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = path === '' ? key : `${path}.${key}`;
    if (Array.isArray(value)) return numbered ? unknownIn({ value: inner, type: numbered, path: at }) : [path];
    const property = checker.getPropertyOfType(type, key);
    const known = property ? checker.getTypeOfSymbol(property) : named;
    return known ? unknownIn({ value: inner, type: known, path: at }) : [at];
  });
}

interface TypesOfKinds {
  checker: ts.TypeChecker;
  types: Map<string, ts.Type>;
}
let read: TypesOfKinds | undefined;

/** Read once: it takes a second. */
function typesOfKinds(): TypesOfKinds {
  return (read ??= readTypes());
}

function readTypes(): TypesOfKinds {
  const fileOf = (kind: string): string => join(ROOT, 'node_modules/kubernetes-models', `${kind}.d.ts`);
  const program = ts.createProgram(KINDS.map(fileOf), {
    lib: ['lib.es5.d.ts'],
    types: [],
    moduleResolution: ts.ModuleResolutionKind.Node10,
  });
  const checker = program.getTypeChecker();
  const types = new Map<string, ts.Type>();
  for (const kind of KINDS) {
    const file = program.getSourceFile(fileOf(kind));
    const module = file && checker.getSymbolAtLocation(file);
    const name = `I${kind.split('/').pop()}`;
    const symbol = module && checker.getExportsOfModule(module).find((each) => each.name === name);
    if (!symbol) throw new Error(`kubernetes-models has no type ${name} in ${kind}.d.ts`);
    types.set(kind, checker.getDeclaredTypeOfSymbol(symbol));
  }
  return { checker, types };
}
