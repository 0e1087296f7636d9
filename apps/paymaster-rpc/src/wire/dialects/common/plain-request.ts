import type { Caller } from '../../../callers/caller';
import type { ParsedRequest } from '../../json-rpc/rpc-method';

/** A request without an operation. */
export interface PlainRequest extends ParsedRequest {
  readonly mode: 'none';
  readonly caller: Caller;
  readonly params: readonly unknown[];
}

/** The {@link RpcMethod.parse} of methods whose params need no more checks than their schema. */
export function plainRequest(params: readonly unknown[], caller: Caller): PlainRequest {
  return { mode: 'none', caller, params };
}
