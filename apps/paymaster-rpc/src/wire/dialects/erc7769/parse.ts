import type { CompleteOperation } from '@paymaster/chain';
import type { Hex } from '@paymaster/domain';
import { completeOperationFor, type RawCompleteOperation } from './parse-complete-operation';
import type { Caller } from '../../../callers/caller';
import type { ParsedRequest } from '../../json-rpc/rpc-method';

/** A request with an operation for a bundler. */
export interface BundlerRequest extends ParsedRequest {
  readonly mode: 'none';
  readonly caller: Caller;
  readonly complete: CompleteOperation;
  /** State overrides, as they were sent; absent where there are none. */
  readonly overrides: object | undefined;
}

/** @throws {InvalidParamsError} naming the field */
export function bundlerRequest(params: readonly unknown[], caller: Caller): BundlerRequest {
  const [raw, entryPoint, third] = params as [RawCompleteOperation, string, object | null | undefined];
  const complete = completeOperationFor(raw, { caller, entryPoint: { address: entryPoint, field: 'params[1]' } });
  const overrides = third && Object.keys(third).length > 0 ? third : undefined;
  return { mode: 'none', caller, complete, overrides };
}

/** A request about an operation that was sent. */
export interface HashRequest extends ParsedRequest {
  readonly mode: 'none';
  readonly caller: Caller;
  readonly userOpHash: Hex;
}

export function hashRequest([hash]: readonly unknown[], caller: Caller): HashRequest {
  return { mode: 'none', caller, userOpHash: (hash as string).toLowerCase() as Hex };
}
