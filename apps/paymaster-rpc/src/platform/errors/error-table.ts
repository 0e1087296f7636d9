import {
  BundlerRefusedError,
  DependencyUnavailableError,
  DomainError,
  FundingWalletError,
  InvalidApiKeyError,
  InvalidParamsError,
  SimulationFailedError,
  SponsorshipRefusedError,
} from '@paymaster/domain';
import { PriceUnavailableError } from '@paymaster/pricing';
import {
  ChainReadFailedError,
  InvalidRequestError,
  MethodNotFoundError,
  NoBundlerError,
  ParseError,
  RateLimitedError,
} from './rpc-errors';

/** How the clients of a dialect let their users pay in a token. */
export interface TokenPath {
  /** The method that they call next. */
  readonly method: string;
  /** The place of the token in the params of that method. */
  readonly field: string;
}

/** How the clients of a dialect read errors. */
export interface ErrorManner {
  /**
   * HTTP status of a refusal by the policy: the clients of some dialects read errors only from answers that are not
   * 2xx, those of others only from 200.
   */
  readonly decisionStatus: number;
  /**
   * The HTTP status of a refusal at addresses of the form that Biconomy's SDK demands, `/api/v2/{chain}/{key}`: the SDK
   * takes an error with 200 for a success. Absent: as at other addresses.
   */
  readonly biconomysStatus?: number;
  /** Absent in dialects without a decision on an operation. */
  readonly tokenPath?: TokenPath;
}

/**
 * For requests that belong to no dialect. Clients that expect 200 also read the code from answers with another status.
 */
export const NO_DIALECT: ErrorManner = { decisionStatus: 400 };

/** How one kind of error looks on the wire. */
export interface ErrorRow {
  readonly code: number;
  /** The HTTP status of an answer that is not a batch. The dialect chooses the status of a refusal by the policy. */
  readonly http: number | 'decision';
  /**
   * `whenExplained`: clients see the values and the trace only if the paymaster's `explainToClients` is on. A refusal
   * can ask for its values to be always shown.
   */
  readonly details: 'always' | 'whenExplained';
  /** For people: one sentence for the docs and the OpenRPC document. */
  readonly summary: string;
}

/** Every error that the gateway answers. An error has a code that common clients retry only if a retry can help. */
export const ERROR_TABLE = {
  parse: { code: -32700, http: 400, details: 'always', summary: 'The body is not JSON.' },
  request: { code: -32600, http: 400, details: 'always', summary: 'The body is not a JSON-RPC request.' },
  method: { code: -32601, http: 'decision', details: 'always', summary: 'There is no such method.' },
  params: {
    code: -32602,
    http: 'decision',
    details: 'always',
    summary: 'A parameter is wrong; `data.field` names it.',
  },
  apiKey: { code: -32010, http: 401, details: 'always', summary: 'The API key is unknown, or of another chain.' },
  refused: { code: -32501, http: 'decision', details: 'whenExplained', summary: 'The policy refuses the operation.' },
  funding: {
    code: -32508,
    http: 'decision',
    details: 'whenExplained',
    summary: 'The funding wallet cannot pay for it.',
  },
  validation: { code: -32500, http: 'decision', details: 'always', summary: 'The validation of the operation fails.' },
  execution: { code: -32521, http: 'decision', details: 'always', summary: 'The execution of the operation fails.' },
  chainRead: {
    code: 3,
    http: 'decision',
    details: 'always',
    summary: 'The node could not answer a read of the chain.',
  },
  rateLimit: { code: -32005, http: 429, details: 'always', summary: 'Too many requests; wait and send again.' },
  unavailable: {
    code: -32011,
    http: 503,
    details: 'always',
    summary: 'A dependency is down; nothing was signed.',
  },
  internal: { code: -32603, http: 500, details: 'always', summary: 'Our fault; the log has the reason.' },
} as const satisfies Record<string, ErrorRow>;

/** HTTP statuses of frames that are refused before any JSON is read. */
const FRAME_STATUS: Readonly<Record<string, number>> = {
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  HTTP_METHOD_NOT_ALLOWED: 405,
  UNKNOWN_ADDRESS: 404,
};

/** When prices are read again in the background; seconds. */
const PRICE_RETRY_AFTER_SECONDS = 10;

/** The row of an error. An error without a row is our own fault. */
export function rowOf(error: unknown): ErrorRow {
  if (error instanceof ParseError) return ERROR_TABLE.parse;
  if (error instanceof InvalidRequestError) return requestRow(error.reason);
  if (error instanceof MethodNotFoundError || error instanceof NoBundlerError) return ERROR_TABLE.method;
  if (error instanceof BundlerRefusedError) return { ...ERROR_TABLE.validation, code: error.code };
  if (error instanceof ChainReadFailedError) return { ...ERROR_TABLE.chainRead, code: error.code };
  if (error instanceof InvalidParamsError) return ERROR_TABLE.params;
  if (error instanceof InvalidApiKeyError) return ERROR_TABLE.apiKey;
  if (error instanceof SponsorshipRefusedError) return ERROR_TABLE.refused;
  if (error instanceof FundingWalletError) return ERROR_TABLE.funding;
  if (error instanceof SimulationFailedError)
    return error.reason === 'EXECUTION_SIMULATION_FAILED' ? ERROR_TABLE.execution : ERROR_TABLE.validation;
  if (error instanceof RateLimitedError) return ERROR_TABLE.rateLimit;
  if (error instanceof DependencyUnavailableError || error instanceof PriceUnavailableError) {
    return ERROR_TABLE.unavailable;
  }
  return ERROR_TABLE.internal;
}

function requestRow(reason: string): ErrorRow {
  const status = FRAME_STATUS[reason];
  return status === undefined ? ERROR_TABLE.request : { ...ERROR_TABLE.request, http: status };
}

/** An error on the wire. */
export interface WireError {
  readonly httpStatus: number;
  readonly retryAfterSeconds?: number;
  readonly error: { readonly code: number; readonly message: string; readonly data: unknown };
}

/** Turns any error into its answer; this is the only place that does. */
export function toWireError(
  error: unknown,
  context: {
    requestId: string;
    errors: ErrorManner;
    explain: boolean;
    /** Whether the address has the form that Biconomy's SDK demands. */
    isBiconomysAddress?: boolean;
    /** What the client can do instead; shown to every client. */
    payWith?: object | undefined;
  },
): WireError {
  const row = rowOf(error);
  const data: Record<string, unknown> = {
    reason: error instanceof DomainError ? error.reason : 'INTERNAL_ERROR',
    requestId: context.requestId,
  };
  if (error instanceof FundingWalletError) Object.assign(data, jsonSafe(error.publicDetails));
  const isPublic = row.details === 'always' || (error instanceof SponsorshipRefusedError && error.isPublic);
  if (error instanceof DomainError && (isPublic || context.explain)) Object.assign(data, jsonSafe(error.details));
  if (error instanceof SponsorshipRefusedError && context.explain && error.trace.length > 0)
    data['trace'] = error.trace;
  if (context.payWith) data['payWith'] = context.payWith;
  const message =
    row === ERROR_TABLE.internal || !(error instanceof Error)
      ? `Internal error. Quote request id ${context.requestId} to the operator.`
      : error.message;
  const retryAfterSeconds = retryAfterOf(error);
  return {
    httpStatus: row.http === 'decision' ? decisionStatus(context) : row.http,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    // Clients that use ethers read the revert data of a call from `data` itself.
    error: { code: row.code, message, data: error instanceof ChainReadFailedError ? error.data : data },
  };
}

function decisionStatus({ errors, isBiconomysAddress }: { errors: ErrorManner; isBiconomysAddress?: boolean }): number {
  return (isBiconomysAddress && errors.biconomysStatus) || errors.decisionStatus;
}

function retryAfterOf(error: unknown): number | undefined {
  if (error instanceof RateLimitedError || error instanceof DependencyUnavailableError) return error.retryAfterSeconds;
  return error instanceof PriceUnavailableError ? PRICE_RETRY_AFTER_SECONDS : undefined;
}

/** JSON knows no bigint: amounts become decimal strings. */
function jsonSafe(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details).map(([key, value]) => [key, typeof value === 'bigint' ? value.toString() : value]),
  );
}
