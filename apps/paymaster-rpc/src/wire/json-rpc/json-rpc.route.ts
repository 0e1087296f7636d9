import { METHODS } from 'node:http';
import { REQUEST_ID_HEADER } from '@paymaster/messaging';
import { BodyMemory, UnreadAnswers } from '@paymaster/nest-kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { corsHeaders, preflightHeaders, SIGNS_HEADER } from './cors';
import { InvalidRequestError } from '../../platform/errors/rpc-errors';
import type { HttpAnswer, HttpFrame, JsonRpcServer } from './json-rpc.server';
import { overloaded } from '../../platform/errors/overloaded';
import { MOST_BODY_BYTES, readBody } from './read-body';
import { RequestsUnderWay } from './requests-under-way';

/**
 * The same bound for large answers. Answers about operations are small, so the gateway still answers them while there
 * is no room for large answers.
 */
const UNREAD = { mostBytes: 32 * 2 ** 20, readWithinMs: 10_000 };

/** The form of Biconomy's URLs. */
const BICONOMYS_PATH = '/api/v2/:chainId/:apiKey';
/**
 * One endpoint with several forms of the URL: the chain and the key in the path, or only one of them, or neither. The
 * forms after the first four are those of Biconomy's v3, ZeroDev and Pimlico; their clients may put the key into the
 * query.
 */
const PATHS = [
  '/',
  '/api/v2/:chainId',
  '/api/v1/:chainId/:apiKey',
  BICONOMYS_PATH,
  '/api/v3/:chainId/:apiKey',
  '/api/v3/:apiKey/chain/:chainId',
  '/v1/:chainId/rpc',
  '/v2/:chainId/rpc',
] as const;

/**
 * The JSON-RPC route, the only hot route of the gateway. It uses Fastify directly, without middleware and interceptors,
 * and the body stays bytes until the frame parses it. All other parts of the app are ordinary Nest.
 *
 * Routes answer in Fastify's first hook. Fastify's body parsing would bind an async scope per request, which costs a
 * twentieth of all the work and brings nothing for plain bytes.
 */
export function jsonRpcRoutes(server: JsonRpcServer, deadlineMs?: number): (scope: FastifyInstance) => Promise<void> {
  return async (scope) => {
    const refuse = refusal(server);
    const memory = new BodyMemory(MOST_BODY_BYTES);
    const unread = new UnreadAnswers(UNREAD);
    const underWay = new RequestsUnderWay<FastifyReply>(
      (reply, error) => void refuse(reply.request, reply, error),
      deadlineMs,
    );
    scope.addHook('onClose', async () => underWay.stop());
    scope.setErrorHandler((error, request, reply) => refuse(request, reply, frameError(error)));

    const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      underWay.assertRoom();
      assertPlainJson(request);
      const frame = frameOf(request);
      const { bytes, kept } = await readBody(request.raw, memory);
      try {
        const untilMs = underWay.begin(reply);
        const answer = await server.handle(bytes, frame, untilMs);
        if (!underWay.end(reply)) return reply;
        if (!unread.keep(reply.raw, answer.body.length)) return refuse(request, reply, overloaded());
        return send(reply, frame, answer);
      } finally {
        memory.end(kept);
      }
    };
    const preflight = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const frame = frameOf(request);
      return reply
        .code(204)
        .headers(preflightHeaders(frame.origin, await server.allowedOrigins(frame), askedHeaders(request)))
        .send();
    };
    const refuseMethod = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      reply.header('allow', 'POST, OPTIONS');
      return refuse(request, reply, new InvalidRequestError('Only POST is answered here.', 'HTTP_METHOD_NOT_ALLOWED'));
    };

    scope.setNotFoundHandler((request, reply) =>
      refuse(request, reply, new InvalidRequestError('There is nothing at this address.', 'UNKNOWN_ADDRESS')),
    );
    const others = METHODS.filter((method) => !['POST', 'OPTIONS', 'CONNECT'].includes(method));
    // Fastify would answer 404 to an HTTP method that it does not know.
    for (const method of others) if (!scope.supportedMethods.includes(method)) scope.addHttpMethod(method);
    for (const url of PATHS) {
      scope.route({ method: 'POST', url, onRequest: handle, handler: answeredAlready });
      scope.route({ method: 'OPTIONS', url, onRequest: preflight, handler: answeredAlready });
      scope.route({ method: others, url, onRequest: refuseMethod, handler: answeredAlready });
    }
  };
}

/** Answers, in JSON-RPC too, requests that never reach a JSON-RPC method. */
export function refusal(
  server: JsonRpcServer,
): (request: FastifyRequest, reply: FastifyReply, error: unknown) => FastifyReply {
  return (request, reply, error) => {
    const frame = frameOf(request);
    // Closes the connection, because the rest of a body that was refused unread must not be read as the next request.
    if (!request.raw.complete) reply.header('connection', 'close');
    return send(reply, frame, { ...server.refuse(error, frame), allowedOrigins: ['*'] });
  };
}

function answeredAlready(): never {
  throw new Error('a request went past the hook that answers it');
}

function frameOf(request: FastifyRequest): HttpFrame {
  const { headers } = request;
  // There are no params if the path could not be decoded.
  const { chainId, apiKey } = (request.params ?? {}) as { chainId?: string; apiKey?: string };
  const isBiconomysAddress = request.routeOptions.url === BICONOMYS_PATH;
  return {
    requestId: request.id,
    credentials: {
      ...{ chainId, pathKey: apiKey ?? queryKey(request), isBiconomysAddress },
      ...{ xApiKey: headers['x-api-key'], authorization: headers.authorization },
    },
    origin: headers.origin,
    clientAddress: request.ip,
    headers,
    // If the header is sent twice, its joined text is malformed, so a new trace begins.
    traceparent: headers['traceparent'] as string | undefined,
  };
}

/** The key in the query, under the names that Pimlico's and Etherspot's clients use. */
function queryKey({ query, raw }: FastifyRequest): string | undefined {
  if (!raw.url?.includes('?')) return undefined;
  const { apikey, 'api-key': apiKey } = query as Record<string, unknown>;
  const key = apikey ?? apiKey;
  return typeof key === 'string' ? key : undefined;
}

function askedHeaders({ headers }: FastifyRequest): string | undefined {
  return headers['access-control-request-headers'];
}

function send(reply: FastifyReply, { requestId, origin }: HttpFrame, answer: HttpAnswer): FastifyReply {
  reply.code(answer.status).headers(corsHeaders(origin, answer.allowedOrigins));
  if (answer.retryAfterSeconds !== undefined) reply.header('retry-after', answer.retryAfterSeconds);
  if (answer.signsWhenSent) reply.header(SIGNS_HEADER, 'when-sent');
  return reply
    .header(REQUEST_ID_HEADER, requestId)
    .header('content-type', 'application/json; charset=utf-8')
    .send(answer.body);
}

/**
 * Longer than any honest Content-Type. The bound keeps the pattern below quick, which tries many ways to match white
 * space.
 */
const MAX_CONTENT_TYPE_LENGTH = 100;
const JSON_IN_UTF8 = /^application\/json\s*(?:;\s*charset\s*=\s*(?:utf-?8|"utf-?8")\s*)?;?\s*$/i;

/** Accepts only uncompressed JSON in UTF-8: a compressed body could have any size after decompression. */
function assertPlainJson({ headers }: FastifyRequest): void {
  const type = headers['content-type'] ?? '';
  if (type !== 'application/json' && (type.length > MAX_CONTENT_TYPE_LENGTH || !JSON_IN_UTF8.test(type))) {
    throw new InvalidRequestError('Content-Type must be application/json in UTF-8.', 'UNSUPPORTED_MEDIA_TYPE');
  }
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return;
  throw new InvalidRequestError('Content-Encoding is not supported; send the body as it is.', 'UNSUPPORTED_MEDIA_TYPE');
}

/** Our error for a request that Fastify itself refuses. */
function frameError(error: unknown): unknown {
  if (error instanceof InvalidRequestError) return error;
  const { statusCode } = error as { statusCode?: number };
  const theirs = statusCode !== undefined && statusCode < 500;
  return theirs ? new InvalidRequestError('The HTTP request is malformed.') : error;
}
