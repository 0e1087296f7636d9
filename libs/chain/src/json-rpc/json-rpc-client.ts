import { connectionPool, httpPost, type HttpAnswer } from './http-post';
import { JsonRpcResponseError, JsonRpcTransportError } from './json-rpc-errors';
import { UrlSecrets } from './url-secrets';

const MAX_ANSWER_BYTES = 1_048_576;

export interface JsonRpcCallOptions {
  readonly timeoutMs: number;
  /** Longest answer that is read; 1 MiB by default. */
  readonly maxAnswerBytes?: number;
}

/** JSON-RPC 2.0 over HTTP to one URL. It does not retry: the caller that holds the budget decides. */
export class JsonRpcClient {
  /** Host and port, safe to log; the rest of the URL may hold a key. */
  readonly host: string;
  readonly #url: URL;
  readonly #secrets: UrlSecrets;
  private readonly pool;
  private lastId = 0;

  constructor(url: string) {
    this.#url = new URL(url);
    this.host = this.#url.host;
    this.#secrets = new UrlSecrets(this.#url);
    this.pool = connectionPool(this.#url);
  }

  /**
   * @returns the `result` member, unread: the caller parses it
   * @throws {JsonRpcResponseError} when the answer is an error object
   * @throws {JsonRpcTransportError} when there is no usable answer
   */
  async call(method: string, params: readonly unknown[], options: JsonRpcCallOptions): Promise<unknown> {
    const id = ++this.lastId;
    const answer = await httpPost({
      url: this.#url,
      pool: this.pool,
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      timeoutMs: options.timeoutMs,
      maxAnswerBytes: options.maxAnswerBytes ?? MAX_ANSWER_BYTES,
    });
    return this.read(answer, id);
  }

  private read(answer: HttpAnswer, id: number): unknown {
    const frame = parseObject(answer.body);
    const error = frame?.['error'];
    if (isErrorObject(error)) throw this.responseError(error);
    if (answer.status < 200 || answer.status > 299)
      throw new JsonRpcTransportError('httpStatus', this.host, `HTTP ${answer.status}`, { status: answer.status });
    if (!frame || frame['id'] !== id || !('result' in frame))
      throw new JsonRpcTransportError('invalidAnswer', this.host, 'the answer is not a JSON-RPC response to the call');
    return frame['result'];
  }

  private responseError({ code, message, data }: ErrorObject): JsonRpcResponseError {
    const said = typeof data === 'string' ? this.#secrets.hideIn(data) : data;
    return new JsonRpcResponseError(this.host, code, this.#secrets.hideIn(message), said);
  }
}

interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function isErrorObject(value: unknown): value is ErrorObject {
  if (typeof value !== 'object' || value === null) return false;
  const { code, message } = value as { code?: unknown; message?: unknown };
  return typeof code === 'number' && typeof message === 'string';
}
