import type { Caller } from '../../callers/caller';
import type { ParsedRequest } from '../../json-rpc/rpc-method';

/** A request that is about no operation. */
export interface PlainRequest extends ParsedRequest {
  readonly mode: 'none';
  readonly caller: Caller;
  readonly params: readonly unknown[];
}

/** What {@link RpcMethod.parse} is of methods that read nothing more than their schema does. */
export function plainRequest(params: readonly unknown[], caller: Caller): PlainRequest {
  return { mode: 'none', caller, params };
}
