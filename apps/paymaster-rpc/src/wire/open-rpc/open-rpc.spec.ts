import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as openRpcMetaSchema from '@open-rpc/meta-schema';
import Ajv from 'ajv';
import { DIALECTS } from '../dialects/index';
import type { RefusalExample } from './open-rpc-examples';
import { compileParams, type ParamsValidator } from '../json-rpc/params-validator';
import { REASON_GROUPS, REASONS } from '../../platform/errors/reasons';
import { openRpcDocument } from './open-rpc';
import { documentsOf, renderOpenRpc } from './rpc.discover';
import type { JsonSchema } from '../json-rpc/rpc-method';

const FILE = join(__dirname, '../../../../../docs/api/paymaster-rpc.openrpc.json');

interface Ref {
  readonly $ref: string;
}

interface DocumentedMethod {
  readonly name: string;
  readonly params: ReadonlyArray<{ name: string; schema: JsonSchema }>;
  readonly result: { readonly name: string; readonly schema: JsonSchema };
  readonly errors: readonly Ref[];
  readonly 'x-error-group': readonly Ref[];
  readonly examples: ReadonlyArray<{
    readonly name: string;
    readonly params: readonly Ref[];
    readonly result: { readonly value: unknown };
  }>;
}

interface OpenRpcDocument {
  readonly methods: readonly DocumentedMethod[];
  readonly components: {
    readonly errors: Readonly<Record<string, RefusalExample>>;
    readonly 'x-error-group': Readonly<Record<string, readonly Ref[]>>;
  };
}

const document = JSON.parse(renderOpenRpc()) as OpenRpcDocument;
const { methods, components } = document;
const all = documentsOf(DIALECTS);

/** The schema to which a reference points; undefined if there is none. */
function follow({ $ref }: Ref): unknown {
  const path = $ref.slice(2).split('/');
  return path.reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], document);
}

/** The official meta-schema; where it says "a JSON Schema", it is one of draft-07. */
function compileMetaSchema() {
  const { openrpcDocument } = openRpcMetaSchema as unknown as { openrpcDocument: JsonSchema };
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const anySchema = { $ref: 'http://json-schema.org/draft-07/schema#' };
  const definitions = { JSONSchemaObject: { properties: { $ref: { type: 'string' } } } };
  ajv.addSchema(anySchema, 'https://meta.json-schema.tools');
  ajv.addSchema({ ...anySchema, definitions }, 'https://meta.json-schema.tools/');
  return ajv.compile(openrpcDocument);
}

const ajv = new Ajv({ strict: false }).addSchema(document, 'document');

/** Checks a schema of the document, references and all. */
function checkWith(schema: JsonSchema, value: unknown): unknown {
  const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object);
  return validate(value) ? undefined : validate.errors;
}

function takes(validate: ParamsValidator, params: unknown): boolean {
  try {
    validate(params);
    return true;
  } catch {
    return false;
  }
}

describe('the OpenRPC document', () => {
  it('stands in docs/api as the code has it', () => {
    // node dist/apps/paymaster-rpc/open-rpc.js docs/api/paymaster-rpc.openrpc.json --write
    expect(readFileSync(FILE, 'utf8')).toBe(renderOpenRpc());
  });

  describe('by the meta-schema of OpenRPC', () => {
    const validate = compileMetaSchema();

    it('is valid', () => {
      expect([validate(document), validate.errors]).toEqual([true, null]);
    });

    it.each<[string, object]>([
      ['a method without params', { methods: [{ name: 'a' }] }],
      ['a member of a method that OpenRPC does not know', { methods: [{ ...methods[0], example: [] }] }],
      ['an example without a name', { methods: [{ ...methods[0], examples: [{ params: [] }] }] }],
      ['a schema that is none', { components: { ...components, schemas: { Mode: { type: 'map' } } } }],
      ['an error without a code', { components: { ...components, errors: { parse: { message: '' } } } }],
    ])('would not be with %s', (_title, broken) => {
      expect(validate({ ...document, ...broken })).toBe(false);
    });
  });

  it('has one method for dialects that share a name, which takes and answers what either does', () => {
    const [one, other] = ['pm_explain', 'pm_chainId'].map((name) => all.find((each) => each.name === name)!);
    const merged = openRpcDocument([one!, { ...other!, name: 'pm_explain' }]) as OpenRpcDocument;
    const [method, ...none] = merged.methods;
    expect(none).toEqual([]);
    expect(method!.params.map(({ name }) => name)).toEqual(one!.params.map(({ name }) => name));
    expect(method!.params).toEqual(one!.params.map(() => expect.objectContaining({ required: false })));
    expect(method!.result.schema).toMatchObject({ anyOf: [expect.anything(), expect.anything()] });
    expect(compileMetaSchema()(merged)).toBe(true);
  });

  it('has no reference that leads nowhere', () => {
    const refs = renderOpenRpc().match(/"\$ref": "[^"]*"/g) ?? [];
    expect(refs.length).toBeGreaterThan(100);
    expect(refs.filter((ref) => follow(JSON.parse(`{${ref}}`) as Ref) === undefined)).toEqual([]);
  });

  it('describes every method with its parameters by position', () => {
    expect(methods.map(({ name, params }) => [name, ...params.map((param) => param.name)])).toEqual([
      ['pm_getFeeQuoteOrData', 'userOperation', 'mode', 'modeAfterEntryPoint'],
      ['pm_sponsorUserOperation', 'userOperation', 'mode', 'modeAfterEntryPoint'],
      ['pm_explain', 'userOperation', 'mode', 'modeAfterEntryPoint'],
      ['biconomy_getGasFeeValues'],
      ['biconomy_getUserOperationStatus', 'userOpHash'],
      ['pm_validateSponsorshipPolicies', 'userOperation', 'entryPoint', 'sponsorshipPolicyIds'],
      ['pimlico_getTokenQuotes', 'tokens', 'entryPoint', 'chainId'],
      ['pimlico_getSupportedTokens'],
      ['pimlico_getUserOperationGasPrice'],
      ['pimlico_getUserOperationStatus', 'userOpHash'],
      ['eth_chainId'],
      ['pm_getPaymasterStubData', 'userOperation', 'entryPoint', 'chainId', 'context'],
      ['pm_getPaymasterData', 'userOperation', 'entryPoint', 'chainId', 'context'],
      ['pm_supportedEntryPoints'],
      ['pm_chainId'],
      ['pm_supportedERC20Tokens', 'entryPoint'],
      ['zd_sponsorUserOperation', 'request'],
      ['stackup_getERC20TokenQuotes', 'request'],
      ['zd_pm_accounts', 'request'],
      ['zd_getUserOperationGasPrice'],
      ['alchemy_requestGasAndPaymasterAndData', 'request'],
      ['eth_sendUserOperation', 'userOperation', 'entryPoint', 'options'],
      ['eth_estimateUserOperationGas', 'userOperation', 'entryPoint', 'stateOverrides'],
      ['eth_getUserOperationByHash', 'userOpHash'],
      ['eth_getUserOperationReceipt', 'userOpHash', 'tag'],
      ['eth_supportedEntryPoints'],
      ['rundler_maxPriorityFeePerGas'],
      ['rundler_getUserOperationGasPrice'],
      ['rundler_getUserOperationStatus', 'userOpHash'],
      ['skandha_getGasPrice'],
      ['web3_clientVersion'],
      ['thirdweb_getUserOperationGasPrice'],
      ['voltaire_feesPerGas'],
      ['circle_getUserOperationGasPrice'],
      ['eth_blockNumber'],
      ['eth_gasPrice'],
      ['eth_maxPriorityFeePerGas'],
      ['net_version'],
      ['eth_call', 'call', 'block'],
      ['eth_estimateGas', 'call', 'block'],
      ['eth_getCode', 'address', 'block'],
      ['eth_getBalance', 'address', 'block'],
      ['eth_getTransactionCount', 'address', 'block'],
      ['eth_getBlockByNumber', 'block', 'full'],
      ['eth_feeHistory', 'count', 'block', 'percentiles'],
      ['eth_getLogs', 'filter'],
      ['rpc.discover'],
    ]);
  });

  describe.each(methods.map((method) => [method.name, method] as const))('%s', (name, method) => {
    const shapes = all.filter((each) => each.name === name).map(compileParams);

    it('has examples with different names', () => {
      const names = method.examples.map((example) => example.name);
      expect(names.length).toBeGreaterThan(0);
      expect(new Set(names).size).toBe(names.length);
    });

    it.each(method.examples)(
      'takes, and answers, the example: $name',
      ({ params, result }: (typeof method.examples)[0]) => {
        const sent = params.map(follow) as ReadonlyArray<{ name: string; value: unknown }>;
        expect(
          shapes.filter((validate) =>
            takes(
              validate,
              sent.map(({ value }) => value),
            ),
          ),
        ).toHaveLength(1);
        sent.forEach(({ name: param, value }, position) => {
          const { name: documented, schema } = method.params[position]!;
          expect([param, checkWith(schema, value)]).toEqual([documented, undefined]);
        });
        expect(checkWith(method.result.schema, result.value)).toBeUndefined();
      },
    );

    it('lists each code of its refusals once', () => {
      const refusals = method['x-error-group'].flatMap((group) => (follow(group) as Ref[]).map(follow));
      const codes = method.errors.map((ref) => (follow(ref) as RefusalExample).code);
      expect(new Set(codes).size).toBe(codes.length);
      expect(new Set(codes)).toEqual(new Set((refusals as RefusalExample[]).map(({ code }) => code)));
    });
  });
});

describe('refusals in the OpenRPC document', () => {
  it.each(Object.entries(REASONS))('%s has an example with its code', (reason, { row }) => {
    const { code, message, data } = components.errors[reason] as RefusalExample;
    expect([code, data['reason']]).toEqual([row.code, reason]);
    expect(message).not.toBe('');
  });

  it('are each in one group, and each group is of some method', () => {
    expect(Object.values(REASON_GROUPS).flat().sort()).toEqual(Object.keys(REASONS).sort());
    const used = new Set(all.flatMap(({ refusals }) => refusals));
    expect([...used].sort()).toEqual(Object.keys(REASON_GROUPS).sort());
  });
});
