import { ERROR_TABLE } from './error-table';
import type { MethodDocument, AnonymousRpcMethod, RpcMethod } from './rpc-method';

/** The OpenRPC document of the gateway: what `rpc.discover` answers, and docs/api/paymaster-rpc.openrpc.json. */
export function openRpcDocument(
  methods: ReadonlyArray<Pick<RpcMethod | AnonymousRpcMethod, 'name' | 'document'>>,
): object {
  return {
    openrpc: '1.3.2',
    info: {
      title: 'Paymaster JSON-RPC',
      version: '1.0.0',
      description:
        'POST to /api/v1/{chainId}/{apiKey} or /api/v2/{chainId}/{apiKey}; or to /api/v2/{chainId} or / with the key ' +
        'in x-api-key or Authorization: Bearer.',
    },
    methods: methods.map(({ name, document }) => describeMethod(name, document)),
  };
}

function describeMethod(name: string, { summary, params, result }: MethodDocument): object {
  return {
    name,
    summary,
    paramStructure: 'by-position',
    params: params.map((param) => ({ name: param.name, required: param.required, schema: param.schema })),
    result,
    errors: Object.values(ERROR_TABLE).map((row) => ({ code: row.code, message: row.summary })),
  };
}
