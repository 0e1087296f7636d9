import type { Caller } from '../callers/caller';
import type { Dialect } from '../errors/error-table';
import type { ReasonGroup } from '../errors/reasons';
import type { RequestKind } from './request-kind';

/** A JSON Schema of draft-07, as ajv and OpenRPC read it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One parameter, by position. Its schema checks it and documents it. */
export interface ParamDocument {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** What `rpc.discover` says of a method; `params` is also what requests are checked with. */
export interface MethodDocument {
  readonly summary: string;
  readonly params: readonly ParamDocument[];
  readonly result: { readonly name: string; readonly schema: JsonSchema };
  /** What its requests can be refused with. */
  readonly refusals: readonly ReasonGroup[];
}

/** One wire method, in the file of its name. */
export interface RpcMethod {
  /** As on the wire. */
  readonly name: string;
  readonly dialect: Dialect;
  readonly document: MethodDocument;
  /** What its requests are counted as; absent where it gives nothing away. */
  readonly kind?: RequestKind;
  /**
   * @param params already checked with the document's schema
   * @returns what stands under `result`
   */
  handle(params: readonly unknown[], caller: Caller): unknown;
}

/** A method that needs no API key. */
export interface AnonymousRpcMethod extends Omit<RpcMethod, 'handle'> {
  readonly anonymous: true;
  /** How many small answers its answer is as much as: what it counts in the limit of requests without a key. */
  readonly weight: number;
  handle(): unknown;
}

export const RPC_METHODS = Symbol('RPC_METHODS');
