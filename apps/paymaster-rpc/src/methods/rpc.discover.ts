import { JsonText } from '../json-rpc/json-text';
import { openRpcDocument } from '../json-rpc/open-rpc';
import type { AnonymousRpcMethod, MethodDocument, RpcMethod } from '../json-rpc/rpc-method';

/** OpenRPC's service discovery: the document of all methods, this one included. Needs no key. */
export class RpcDiscover implements AnonymousRpcMethod {
  readonly name = 'rpc.discover';
  readonly dialect = 'standard';
  readonly anonymous = true;
  readonly weight = 20;
  readonly document = {
    summary: 'This document.',
    params: [],
    result: { name: 'openRpcDocument', schema: { type: 'object' } },
    refusals: ['request'],
  } satisfies MethodDocument;
  /** Written once: it is large, and anybody may ask for it. */
  private readonly answer: JsonText;

  constructor(methods: readonly RpcMethod[]) {
    this.answer = new JsonText(JSON.stringify(openRpcDocument([...methods, this])));
  }

  handle(): JsonText {
    return this.answer;
  }
}
