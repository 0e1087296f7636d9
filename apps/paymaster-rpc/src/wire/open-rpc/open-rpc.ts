import * as primitives from '../dialects/common/primitives';
import { ERROR_TABLE } from '../../platform/errors/error-table';
import { REASON_GROUPS, REASONS, type ReasonGroup } from '../../platform/errors/reasons';
import type { JsonSchema, MethodDocument } from '../json-rpc/rpc-method';
import { examplesOf, REFUSAL_EXAMPLES } from './open-rpc-examples';

/** A code in `components.errors`. The refusals with this code are listed beside it, by their reasons. */
const CODES = Object.entries(ERROR_TABLE).map(([name, { code, summary }]) => ({ name, code, message: summary }));

/** Schemas by their names, as text. */
const PRIMITIVES = new Map(Object.entries(primitives).map(([name, schema]) => [JSON.stringify(schema), name]));

interface ParamExample {
  readonly name: string | undefined;
  readonly value: unknown;
}

/** The shared parts to which methods refer. */
interface Shared {
  readonly schemas: Record<string, unknown>;
  readonly examples: Record<string, ParamExample>;
}

/**
 * The OpenRPC document of the gateway: what `rpc.discover` answers, and docs/api/paymaster-rpc.openrpc.json. It
 * contains parts that several methods share only once, to stay small, because anybody may ask for it. Methods of the
 * same name in several dialects become one method of the document.
 *
 * OpenRPC wants the codes of a method to be unique, and one code has many reasons. So `errors` lists the codes, and the
 * extension `x-error-group` the refusals, each as it is answered.
 */
export function openRpcDocument(methods: readonly MethodDocument[]): object {
  const shared: Shared = { schemas: {}, examples: {} };
  const byName = new Map<string, MethodDocument>();
  for (const method of methods) {
    const known = byName.get(method.name);
    byName.set(method.name, known ? eitherMethod(known, method) : method);
  }
  return {
    openrpc: '1.3.2',
    info: {
      title: 'Paymaster JSON-RPC',
      version: '1.0.0',
      description:
        'POST to /api/v1/{chainId}/{apiKey} or /api/v2/{chainId}/{apiKey}; or to /api/v2/{chainId} or / with the key ' +
        'in x-api-key or Authorization: Bearer. The errors of a method are codes; x-error-group has each refusal as ' +
        'it is answered, by data.reason. Refusals of policy and funding say more where the paymaster explains them. ' +
        'null in an optional field means that the field is absent, except where x-refuses-null says otherwise.',
    },
    methods: [...byName.values()].map((method) => describeMethod(method, shared)),
    components: {
      ...shared,
      errors: {
        ...Object.fromEntries(CODES.map(({ name, code, message }) => [name, { code, message }])),
        ...REFUSAL_EXAMPLES,
      },
      'x-error-group': Object.fromEntries(
        Object.entries(REASON_GROUPS).map(([group, reasons]) => [group, reasons.map(errorRef)]),
      ),
    },
  };
}

function describeMethod({ name, summary, params, result, refusals }: MethodDocument, shared: Shared): object {
  return {
    name,
    summary,
    paramStructure: 'by-position',
    params: params.map((param) => ({ ...param, schema: shareSchemas(param.schema, shared) })),
    result: { ...result, schema: shareSchemas(result.schema, shared) },
    errors: codesOf(refusals).map(({ name: code }) => errorRef(code)),
    'x-error-group': refusals.map((group) => ({ $ref: `#/components/x-error-group/${group}` })),
    examples: examplesOf(name).map((example) => ({
      name: example.name,
      params: example.params.map((value, position) => shareExample({ name: params[position]?.name, value }, shared)),
      result: { name: result.name, value: example.result },
    })),
  };
}

/** The description of a method that several dialects have. */
function eitherMethod(one: MethodDocument, other: MethodDocument): MethodDocument {
  const [longer, shorter] = one.params.length >= other.params.length ? [one, other] : [other, one];
  return {
    name: one.name,
    summary: `${one.summary} ${other.summary}`,
    params: longer.params.map((param, position) => {
      const twin = shorter.params[position];
      return {
        name: one.params[position]?.name ?? param.name,
        required: param.required && twin?.required === true,
        schema: twin ? eitherSchema(param.schema, twin.schema) : param.schema,
      };
    }),
    result: { name: one.result.name, schema: eitherSchema(one.result.schema, other.result.schema) },
    refusals: [...new Set([...one.refusals, ...other.refusals])],
  };
}

function eitherSchema(one: JsonSchema, other: JsonSchema): JsonSchema {
  return JSON.stringify(one) === JSON.stringify(other) ? one : { anyOf: [one, other] };
}

const errorRef = (name: string) => ({ $ref: `#/components/errors/${name}` });

/** The codes that refusals of these groups have. */
function codesOf(groups: readonly ReasonGroup[]): typeof CODES {
  const codes = new Set(groups.flatMap((group) => REASON_GROUPS[group].map((reason) => REASONS[reason]?.row.code)));
  return CODES.filter(({ code }) => codes.has(code));
}

/**
 * Moves schemas that have a title, or are named among the primitives, out of a schema into the shared ones, and refers
 * to them.
 *
 * @throws {Error} when two have the same title
 */
function shareSchemas(value: unknown, shared: Shared): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => shareSchemas(entry, shared));
  const members = Object.entries(withoutConditions(value as JsonSchema));
  const schema = Object.fromEntries(members.map(([key, member]) => [key, shareSchemas(member, shared)]));
  const title = typeof schema['title'] === 'string' ? schema['title'] : PRIMITIVES.get(JSON.stringify(value));
  if (title === undefined) return schema;
  const known = (shared.schemas[title] ??= schema);
  if (JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two schemas have the title ${title}`);
  return { $ref: `#/components/schemas/${title}` };
}

/**
 * OpenRPC tools ignore conditions. Our conditions choose between two types, so the document says `oneOf` these types.
 */
function withoutConditions({ if: condition, then, else: otherwise, ...schema }: JsonSchema): object {
  return condition === undefined ? schema : { ...schema, oneOf: [then, otherwise] };
}

/** Examples of operations are long, and many methods use the same operation. */
function shareExample(example: ParamExample, { examples }: Shared): object {
  const text = JSON.stringify(example);
  const known = Object.entries(examples).find(([, each]) => JSON.stringify(each) === text)?.[0];
  const key = known ?? `${example.name}${Object.keys(examples).length + 1}`;
  examples[key] = example;
  return { $ref: `#/components/examples/${key}` };
}
