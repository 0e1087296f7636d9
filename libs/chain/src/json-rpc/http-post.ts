import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { JsonRpcTransportError } from './json-rpc-errors';

const MAX_SOCKETS = 64;
/** Longer than any call, so that only idle connections are closed. */
const IDLE_MS = 60_000;

/**
 * Keeps connections to a host open, better than `fetch` does. Each call has a connection alone, so calls wait for each
 * other only when all {@link MAX_SOCKETS} are in use.
 */
export function connectionPool({ protocol }: URL): HttpAgent {
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS, timeout: IDLE_MS };
  return protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Posts a JSON body and reads the answer. One deadline covers everything, the last byte of the body too, so that
 * a server that trickles can't hold a request longer than one that hangs.
 *
 * @throws {JsonRpcTransportError} timeout, connection, tooLarge
 */
export function httpPost(input: {
  url: URL;
  pool: HttpAgent;
  body: string;
  timeoutMs: number;
  maxAnswerBytes: number;
}): Promise<HttpAnswer> {
  const { url, pool, body, timeoutMs, maxAnswerBytes } = input;
  const secure = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const call = (secure ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      agent: pool,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    });
    const fail = (error: JsonRpcTransportError) => {
      clearTimeout(deadline);
      reject(error);
      call.destroy();
    };
    const deadline = setTimeout(
      () => fail(new JsonRpcTransportError('timeout', url.host, `no answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    const connectionFailed = (cause: NodeJS.ErrnoException) =>
      fail(
        new JsonRpcTransportError('connection', url.host, `connection failed (${cause.code ?? 'unknown'})`, { cause }),
      );
    call.on('error', connectionFailed);
    call.on('response', (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('error', connectionFailed);
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxAnswerBytes)
          return fail(new JsonRpcTransportError('tooLarge', url.host, `answer over ${maxAnswerBytes} bytes`));
        chunks.push(chunk);
      });
      response.on('end', () => {
        clearTimeout(deadline);
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') });
      });
    });
    call.end(body);
  });
}
