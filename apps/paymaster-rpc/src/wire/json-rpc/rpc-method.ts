import type { Caller } from '../../callers/caller';
import type { ErrorManner } from '../../platform/errors/error-table';
import type { ReasonGroup } from '../../platform/errors/reasons';
import type { Answered, RequestMode } from '../../metrics/request-meter';
import type { Operations } from '../operations/operations.service';

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
  /** As on the wire. */
  readonly name: string;
  readonly summary: string;
  readonly params: readonly ParamDocument[];
  /** Whether params that fit the schemas are meant for this dialect; absent where the schemas alone tell. */
  readonly takes?: (params: readonly unknown[]) => boolean;
  readonly result: { readonly name: string; readonly schema: JsonSchema };
  /** The groups of refusals that the method can answer (`REASON_GROUPS`). */
  readonly refusals: readonly ReasonGroup[];
}

/** A request as its dialect has read it. */
export interface ParsedRequest {
  /** The mode under which metrics count the request. */
  readonly mode: RequestMode;
}

/** One wire method as one dialect has it, in the file of its name. */
export interface RpcMethod<Request extends ParsedRequest = ParsedRequest, Result = unknown> extends MethodDocument {
  /**
   * @param params already checked with the document's schema
   * @throws {InvalidParamsError} naming the field
   */
  parse(params: readonly unknown[], caller: Caller): Request;
  /** @returns the member `result` of the answer */
  answer(request: Request, operations: Operations): Result | Promise<Result>;
  /** How metrics count the answer; absent if the answer promises nothing. */
  answeredWith?(request: Request, result: Result): Answered;
}

/** A method that needs no API key. */
export interface AnonymousRpcMethod extends MethodDocument {
  readonly anonymous: true;
  /**
   * The weight of the method in the limit of requests without a key: its answer costs as much as this many small
   * answers.
   */
  readonly weight: number;
  answer(): unknown;
}

/** The methods that one kind of clients calls, and how these clients read errors. */
export interface Dialect {
  readonly name: string;
  readonly errors: ErrorManner;
  readonly methods: ReadonlyArray<RpcMethod | AnonymousRpcMethod>;
}

/** The dialects that the gateway speaks. */
export const SPOKEN_DIALECTS = Symbol('SPOKEN_DIALECTS');
