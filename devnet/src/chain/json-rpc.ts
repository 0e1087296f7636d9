/** The other side answered with a JSON-RPC error. */
export class JsonRpcError extends Error {
  constructor(
    method: string,
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(`${method}: ${message} (${code})`);
    this.name = 'JsonRpcError';
  }
}

/** One JSON-RPC call. @throws {JsonRpcError} when it is refused */
export async function rpc<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(60_000),
  });
  const body = (await response.json()) as { result?: T; error?: { code: number; message: string; data?: unknown } };
  if (body.error) throw new JsonRpcError(method, body.error.code, body.error.message, body.error.data);
  return body.result as T;
}
