import { DIALECTS } from '../dialects/index';
import { JsonText } from '../json-rpc/json-text';
import type { Dialect, MethodDocument } from '../json-rpc/rpc-method';
import { openRpcDocument } from './open-rpc';

const RPC_DISCOVER: MethodDocument = {
  name: 'rpc.discover',
  summary: 'This document.',
  params: [],
  result: { name: 'openRpcDocument', schema: { type: 'object' } },
  refusals: ['request'],
};

/** OpenRPC's service discovery: one method that answers the document of all methods, itself included, without a key. */
export function openRpcDialect(dialects: readonly Dialect[]): Dialect {
  // The text is made only once, because it is large and anybody may ask for it.
  const text = new JsonText(JSON.stringify(openRpcDocument(documentsOf(dialects))));
  const method = { ...RPC_DISCOVER, anonymous: true as const, weight: 20, answer: () => text };
  return { name: 'OpenRPC', errors: { decisionStatus: 200 }, methods: [method] };
}

/** The descriptions of all methods of the dialects, and of `rpc.discover`. */
export function documentsOf(dialects: readonly Dialect[]): readonly MethodDocument[] {
  return [...dialects.flatMap(({ methods }) => methods), RPC_DISCOVER];
}

/** The text of docs/api/paymaster-rpc.openrpc.json: what `rpc.discover` answers. */
export function renderOpenRpc(): string {
  return `${JSON.stringify(openRpcDocument(documentsOf(DIALECTS)), null, 2)}\n`;
}
