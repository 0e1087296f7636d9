/** What went wrong before there was an answer. */
export type TransportFault = 'timeout' | 'connection' | 'httpStatus' | 'invalidAnswer' | 'tooLarge';

/**
 * No usable answer came back. The message names the host only: paths and queries of RPC URLs hold keys.
 */
export class JsonRpcTransportError extends Error {
  constructor(
    readonly fault: TransportFault,
    readonly host: string,
    problem: string,
    options?: ErrorOptions & { status?: number },
  ) {
    super(`${host}: ${problem}`, options);
    this.name = 'JsonRpcTransportError';
    this.status = options?.status;
  }

  /** HTTP status, when there was one. */
  readonly status: number | undefined;
}

/** The other side answered with a JSON-RPC error object: an answer, not a fault of the transport. */
export class JsonRpcResponseError extends Error {
  constructor(
    readonly host: string,
    readonly code: number,
    readonly rpcMessage: string,
    readonly data: unknown,
  ) {
    super(`${host} answered ${code}: ${rpcMessage}`);
    this.name = 'JsonRpcResponseError';
  }
}

/** Whether the server gave no answer within its time. */
export function isTimeout(error: unknown): boolean {
  return error instanceof JsonRpcTransportError && error.fault === 'timeout';
}
