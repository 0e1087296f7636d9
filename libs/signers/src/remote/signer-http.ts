import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { SignerError } from '../signer/signer-error';

const MAX_SOCKETS = 64;
/** Only connections that were idle for this long are closed. */
const IDLE_MS = 60_000;
/** Many times the size of any answer. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** Certificates, as PEM: that of the server's authority, and the client's own if the server asks for it. */
export interface SignerTls {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface SignerAnswer {
  readonly status: number;
  /** Without its parameters, in lower case. */
  readonly contentType: string;
  readonly body: string;
}

/** Posts JSON to a signer over connections that stay open. Answers are bounded; redirects are not followed. */
export class SignerHttp {
  private readonly agent: HttpAgent;

  constructor(
    private readonly url: URL,
    tls: SignerTls = {},
  ) {
    const options = { keepAlive: true, maxSockets: MAX_SOCKETS, timeout: IDLE_MS };
    this.agent = url.protocol === 'https:' ? new HttpsAgent({ ...options, ...tls }) : new HttpAgent(options);
  }

  /**
   * @param path below the signer's URL
   * @param signal ends the call, the last byte of the answer included
   * @throws {SignerError} timeout, connection, malformed (an answer that is too large)
   */
  post(input: {
    path: string;
    headers?: Readonly<Record<string, string>>;
    body: object;
    signal: AbortSignal;
  }): Promise<SignerAnswer> {
    const { path, headers, signal } = input;
    const body = JSON.stringify(input.body);
    const send = this.url.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const call = send(this.below(path), {
        method: 'POST',
        agent: this.agent,
        signal,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
      });
      const fail = failureOf(call, signal, reject);
      call.on('error', fail);
      call.on('response', (response) => readAnswer(response, { resolve, fail }));
      call.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }

  private below(path: string): URL {
    const base = this.url.pathname.replace(/\/+$/, '');
    return new URL(`${base}${path}`, this.url);
  }
}

/** Ends a call with its reason, once. */
function failureOf(
  call: ClientRequest,
  signal: AbortSignal,
  reject: (error: SignerError) => void,
): (cause: NodeJS.ErrnoException | SignerError) => void {
  return (cause) => {
    call.destroy();
    if (cause instanceof SignerError) return reject(cause);
    if (signal.aborted) return reject(new SignerError('timeout', 'no answer in time'));
    // The code only: messages of TLS and sockets hold addresses.
    reject(new SignerError('connection', `the connection failed (${cause.code ?? 'unknown'})`));
  };
}

function readAnswer(
  response: IncomingMessage,
  { resolve, fail }: { resolve: (answer: SignerAnswer) => void; fail: (error: Error) => void },
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('error', fail);
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) fail(new SignerError('malformed', `the answer is over ${MAX_ANSWER_BYTES} bytes`));
    else chunks.push(chunk);
  });
  response.on('end', () =>
    resolve({
      status: response.statusCode ?? 0,
      contentType: (response.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase(),
      body: Buffer.concat(chunks).toString('utf8'),
    }),
  );
}

/** The meaning of an HTTP status other than 200. The body is not repeated: it may name paths, tokens or keys. */
export function refusalOf(status: number): SignerError {
  if (status === 429) return new SignerError('throttled', 'too many requests');
  return new SignerError('refused', `HTTP status ${status}`);
}
