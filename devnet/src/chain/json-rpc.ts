import { connectionPool, httpPost } from '@paymaster/chain';

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

const TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 2 ** 28;
/** By protocol. `fetch` takes four times as much of the processor, and tests make thousands of calls. */
const pools = new Map<string, ReturnType<typeof connectionPool>>();

/** One JSON-RPC call. @throws {JsonRpcError} when it is refused */
export async function rpc<T>(to: string, method: string, params: readonly unknown[]): Promise<T> {
  const url = new URL(to);
  const pool = pools.get(url.protocol) ?? connectionPool(url);
  pools.set(url.protocol, pool);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await httpPost({ url, pool, body, timeoutMs: TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_BYTES });
  const { result, error } = JSON.parse(answer.body) as {
    result?: T;
    error?: { code: number; message: string; data?: unknown };
  };
  if (error) throw new JsonRpcError(method, error.code, error.message, error.data);
  return result as T;
}
