import { openRpcDocument } from '../json-rpc/open-rpc';
import type { AnonymousRpcMethod, RpcMethod } from '../json-rpc/rpc-method';

/** OpenRPC's service discovery: the document of all methods, this one included. Needs no key. */
export class RpcDiscover implements AnonymousRpcMethod {
  readonly name = 'rpc.discover';
  readonly dialect = 'standard';
  readonly anonymous = true;
  readonly document = {
    summary: 'This document.',
    params: [],
    result: { name: 'openRpcDocument', schema: { type: 'object' } },
  };
  private readonly answer: object;

  constructor(methods: readonly RpcMethod[]) {
    this.answer = openRpcDocument([...methods, this]);
  }

  handle(): object {
    return this.answer;
  }
}
