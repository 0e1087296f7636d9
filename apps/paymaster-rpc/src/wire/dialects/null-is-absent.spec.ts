import { InvalidParamsError } from '@paymaster/domain';
import { rulesPolicyBuilder } from '@paymaster/domain/testing';
import recorded from '../open-rpc/generated/open-rpc-examples.json';
import { MethodRegistry } from '../json-rpc/method-registry';
import type { JsonSchema, RpcMethod } from '../json-rpc/rpc-method';
import type { RpcMetrics } from '../../metrics/rpc-metrics';
import { exampleCaller, TOKEN } from '../../testing/examples/example-world';
import { DIALECTS } from './index';

type Members = Record<string, unknown>;

const registry = new MethodRegistry(DIALECTS, {} as RpcMetrics);
const examples = recorded.calls as unknown as Record<string, ReadonlyArray<{ readonly params: readonly unknown[] }>>;

/** The paths of the optional fields of a schema, with what null means in each. */
function optionalFields(schema: JsonSchema): Array<{ path: readonly string[]; refusesNull: boolean }> {
  if (schema['else']) return optionalFields(schema['else'] as JsonSchema);
  const required = (schema['required'] ?? []) as readonly string[];
  return Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema | false>).flatMap(
    ([name, member]) => {
      if (!member) return [];
      const inside = optionalFields(member).map(({ path, ...field }) => ({ ...field, path: [name, ...path] }));
      if (required.includes(name)) return inside;
      return [{ path: [name], refusesNull: member['x-refuses-null'] === true }, ...inside];
    },
  );
}

const CASES = DIALECTS.flatMap(({ name: dialect, methods }) =>
  methods.flatMap((method) =>
    method.params.flatMap(({ schema }, position) =>
      optionalFields(schema).map((field) => ({
        ...field,
        ...{ dialect, position, method: method as RpcMethod },
        title: `${dialect}, ${method.name}: params[${position}].${field.path.join('.')}`,
      })),
    ),
  ),
);

const SIGNATURE = `0x${'11'.repeat(64)}1b`;
/** What the examples lack: objects whose members are optional. */
const FURTHER: Readonly<Record<string, object>> = {
  permit: { value: 1, deadline: 2, signature: SIGNATURE },
  erc20Context: { tokenAddress: TOKEN.address },
  overrides: {},
  gasTokenData: { tokenAddress: TOKEN.address },
  sponsorshipInfo: { smartAccountInfo: { name: 'BICONOMY', version: '2.0.0' } },
  tokenInfo: {},
  smartAccountInfo: { name: 'BICONOMY', version: '2.0.0' },
};

/** The params of an example of the method in this dialect, with the object that has the field. */
function exampleFor({ method, position, path, dialect }: (typeof CASES)[number]): readonly unknown[] {
  const fitting = examples[method.name]!.map(({ params }) => JSON.parse(JSON.stringify(params)) as unknown[]).filter(
    (params) => registry.get(method.name).claim(params).shape.method === method,
  );
  const params = fitting.find((each) => typeof each[position] === 'object') ?? fitting[0];
  if (!params) throw new Error(`${method.name} has no example in the dialect of ${dialect}`);
  let at = (params[position] ??= {}) as Members;
  for (const name of path.slice(0, -1)) at = (at[name] ??= { ...FURTHER[name] }) as Members;
  return params;
}

function withField(params: readonly unknown[], { position, path }: (typeof CASES)[number], value: unknown): unknown[] {
  const changed = JSON.parse(JSON.stringify(params)) as unknown[];
  let at = changed[position] as Members;
  for (const name of path.slice(0, -1)) at = at[name] as Members;
  at[path.at(-1)!] = value;
  return JSON.parse(JSON.stringify(changed)) as unknown[];
}

const NOT_COMPARED = { caller: undefined, asked: undefined, fieldNames: undefined };

/** What the gateway reads, or the field that it names. */
function read({ name }: RpcMethod, params: readonly unknown[]): unknown {
  const policies = [rulesPolicyBuilder().with('policyId', 'f3f4a3a5-7c52-4f7e-8a3e-1f6f2e0d9b11').build()];
  const caller = exampleCaller({ explainToClients: true }, { policies });
  try {
    const { shape, params: checked } = registry.get(name).claim(params);
    const parsed = { ...shape.method.parse(checked, caller) } as Members;
    const inner = 'unnamed' in parsed ? { unnamed: { ...(parsed['unnamed'] as Members), ...NOT_COMPARED } } : {};
    return { ...parsed, ...inner, ...('params' in parsed ? { params: checked } : {}), ...NOT_COMPARED };
  } catch (error) {
    if (error instanceof InvalidParamsError) return { field: error.field, message: error.message };
    throw error;
  }
}

describe('null', () => {
  it.each(CASES.filter(({ refusesNull }) => !refusesNull))('means absent in $title', (field) => {
    const params = exampleFor(field);
    const { method } = field;
    expect(read(method, withField(params, field, null))).toEqual(read(method, withField(params, field, undefined)));
  });

  it.each(CASES.filter(({ refusesNull }) => refusesNull))('is refused in $title, where absence loosens', (field) => {
    const params = exampleFor(field);
    const at = `params[${field.position}].${field.path.join('.')}`;
    expect(read(field.method, withField(params, field, null))).toMatchObject({ field: at });
  });

  it.each([
    ['pm_getPaymasterData', 3],
    ['pm_getPaymasterStubData', 3],
    ['pm_sponsorUserOperation', 2],
    ['pimlico_getTokenQuotes', 2],
    ['pm_supportedERC20Tokens', 0],
  ])('means absent as an optional parameter of %s', (name, position) => {
    for (const { params } of examples[name]!.filter(({ params: sent }) => sent.length === position)) {
      const { shape } = registry.get(name).claim(params);
      expect(read(shape.method, [...params, null])).toEqual(read(shape.method, params));
    }
  });

  it('refuses a missing maximum of the user, and of a fee', () => {
    const refusing = CASES.filter(({ refusesNull }) => refusesNull).map(({ path }) => path.join('.'));
    expect(new Set(refusing)).toEqual(
      new Set([
        'erc20Context.maxTokenAmount',
        ...['maxFeePerGas', 'maxPriorityFeePerGas', 'callGasLimit', 'verificationGasLimit', 'preVerificationGas'].map(
          (name) => `overrides.${name}`,
        ),
      ]),
    );
  });

  it('stays in what the gateway only hands on', () => {
    const webhookData = { cart: null, list: [null] };
    const [[sponsored]] = [examples['pm_sponsorUserOperation']!.map(({ params }) => params)];
    const mode = { ...(sponsored![1] as Members), sponsorshipInfo: { ...FURTHER['sponsorshipInfo'], webhookData } };
    const { shape } = registry.get('pm_sponsorUserOperation').claim([sponsored![0], mode]);
    expect(read(shape.method, [sponsored![0], mode])).toMatchObject({ webhookData: { value: webhookData } });
  });
});
