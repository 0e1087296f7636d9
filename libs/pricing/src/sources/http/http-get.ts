/** A complete answer, with its time: the server's `Date` plus the time that a cache on the way kept it (`Age`). */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  /** Unix seconds by the server's clock when it answered; undefined when it names no time. */
  readonly serverSeconds: number | undefined;
}

/** No usable answer came back. The message is safe to log: it names neither the URL nor the key. */
export class HttpGetError extends Error {
  constructor(problem: string, options?: ErrorOptions) {
    super(problem, options);
    this.name = 'HttpGetError';
  }
}

/**
 * One GET. A single deadline covers everything, the last byte of the body too; the body is bounded as it arrives,
 * after decompression; redirects are not followed, because they would carry the key elsewhere.
 *
 * @throws {HttpGetError}
 */
export async function httpGet(input: {
  url: URL;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  maxAnswerBytes: number;
}): Promise<HttpAnswer> {
  try {
    const response = await fetch(input.url, {
      headers: { accept: 'application/json', ...input.headers },
      redirect: 'error',
      signal: AbortSignal.timeout(input.timeoutMs),
    });
    const body = await boundedText(response, input.maxAnswerBytes);
    return { status: response.status, body, serverSeconds: serverSeconds(response.headers) };
  } catch (error) {
    throw error instanceof HttpGetError ? error : asHttpGetError(error, input.timeoutMs);
  }
}

async function boundedText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new HttpGetError(`answer over ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function serverSeconds(headers: Headers): number | undefined {
  const date = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(date)) return undefined;
  const age = headers.get('age') ?? '';
  return date / 1_000 + (/^\d{1,9}$/.test(age) ? Number(age) : 0);
}

/** Keeps the code of a failed connection only: messages of the HTTP client may hold the URL. */
function asHttpGetError(error: unknown, timeoutMs: number): HttpGetError {
  const { name, cause } = error as { name?: unknown; cause?: { code?: unknown } };
  if (name === 'TimeoutError') return new HttpGetError(`no answer within ${timeoutMs} ms`);
  return new HttpGetError(`connection failed (${typeof cause?.code === 'string' ? cause.code : 'unknown'})`);
}
