import type { Hex } from '@paymaster/domain';

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: { readonly reason?: string; readonly requestId?: string } & Readonly<Record<string, unknown>>;
}

/** One JSON-RPC answer, result and error as loose as the wire allows. */
export interface RpcBody {
  readonly jsonrpc?: string;
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: RpcError;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The bytes as they came, for what JSON.parse would round or reorder. */
  readonly text: string;
  readonly elapsedMs: number;
}

export interface RpcAnswer extends HttpAnswer {
  readonly body: RpcBody;
}

export interface HttpRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

const JSON_HEADERS = { 'content-type': 'application/json' };
/**
 * A connection that is kept may be closed by its server while this process is busy for some seconds, which would then
 * write to it before it hears of that.
 */
const ONE_REQUEST_A_CONNECTION = { connection: 'close' };
const NO_ANSWER_MS = 60_000;

/** Any HTTP request, its answer read to the end. */
export async function http({ url, method = 'POST', headers = JSON_HEADERS, body }: HttpRequest): Promise<HttpAnswer> {
  const started = performance.now();
  const response = await fetch(url, {
    ...{ method, body, headers: { ...headers, ...ONE_REQUEST_A_CONNECTION } },
    signal: AbortSignal.timeout(NO_ANSWER_MS),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, elapsedMs: performance.now() - started };
}

/** Posts any body and reads the answer as JSON, which the gateway's every answer must be. */
export async function post(request: HttpRequest): Promise<RpcAnswer> {
  return parsed(await http(request));
}

export interface RpcCall {
  readonly url: string;
  readonly method: string;
  readonly params?: unknown;
  readonly id?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One well-formed JSON-RPC call. */
export function call({ url, method, params = [], id = 1, headers }: RpcCall): Promise<RpcAnswer> {
  return post({
    url,
    headers: { ...JSON_HEADERS, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
  });
}

export function parsed(answer: HttpAnswer): RpcAnswer {
  try {
    return { ...answer, body: JSON.parse(answer.text) as RpcBody };
  } catch (cause) {
    throw new Error(`HTTP ${answer.status} with a body that is not JSON: ${answer.text.slice(0, 300)}`, { cause });
  }
}

/** Result of the two core methods for a sponsored operation. */
export interface SponsoredResult {
  readonly MODE: string;
  readonly mode: string;
  readonly paymasterAndData: Hex;
  readonly preVerificationGas: string;
  readonly verificationGasLimit: number;
  readonly callGasLimit: number;
  readonly paymaster?: Hex;
  readonly paymasterData?: Hex;
  /** On v0.9. */
  readonly paymasterSignature?: Hex;
  readonly paymasterVerificationGasLimit?: Hex;
  readonly paymasterPostOpGasLimit?: Hex;
}

/** The result of an answer that has to be one. @throws with the error's text, when it is an error */
export function resultOf<T>(answer: RpcAnswer): T {
  if (answer.body.error || answer.body.result === undefined) {
    throw new Error(`expected a result, got HTTP ${answer.status}: ${answer.text.slice(0, 1_000)}`);
  }
  return answer.body.result as T;
}
