import { METHODS } from 'node:http';
import { REQUEST_ID_HEADER } from '@paymaster/messaging';
import { BodyMemory, UnreadAnswers } from '@paymaster/nest-kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { corsHeaders, preflightHeaders } from './cors';
import { InvalidRequestError } from '../errors/rpc-errors';
import type { HttpAnswer, HttpFrame, JsonRpcServer } from './json-rpc.server';
import { overloaded } from '../errors/overloaded';
import { readBody } from './read-body';
import { RequestsUnderWay } from './requests-under-way';

/**
 * How much of bodies one process keeps at once: 250 of the largest. With what is made of them it fits into a pod's limit
 * beside everything else (docs/operations/capacity.md).
 */
const MOST_BODY_BYTES = 64 * 2 ** 20;
/** The same of large answers. Those of operations are small: while large ones have no room, operations go on. */
const UNREAD = { mostBytes: 32 * 2 ** 20, readWithinMs: 10_000 };

/** One endpoint, four ways to say whose: key in the path (v1 and v2 alike), chain in the path, or headers alone. */
const PATHS = ['/', '/api/v2/:chainId', '/api/v1/:chainId/:apiKey', '/api/v2/:chainId/:apiKey'] as const;

/**
 * The gateway's one hot route, straight on Fastify: no middleware, no interceptors, and the body stays bytes until
 * the frame parses it. Everything else of the app is ordinary Nest.
 *
 * Routes answer in Fastify's first hook: its body parsing binds an async scope per request, which costs a twentieth of
 * all the work and has nothing to offer for plain bytes.
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
        .headers(preflightHeaders(frame.origin, await server.allowedOrigins(frame)))
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
    // A method that Fastify does not know would be told that there is nothing at this address.
    for (const method of others) if (!scope.supportedMethods.includes(method)) scope.addHttpMethod(method);
    for (const url of PATHS) {
      scope.route({ method: 'POST', url, onRequest: handle, handler: answeredAlready });
      scope.route({ method: 'OPTIONS', url, onRequest: preflight, handler: answeredAlready });
      scope.route({ method: others, url, onRequest: refuseMethod, handler: answeredAlready });
    }
  };
}

/** Answers requests that no method is called for, in JSON-RPC as everything else. */
export function refusal(
  server: JsonRpcServer,
): (request: FastifyRequest, reply: FastifyReply, error: unknown) => FastifyReply {
  return (request, reply, error) => {
    const frame = frameOf(request);
    // What is left of a body that was refused unread is not the next request.
    if (!request.raw.complete) reply.header('connection', 'close');
    return send(reply, frame, { ...server.refuse(error, frame), allowedOrigins: ['*'] });
  };
}

function answeredAlready(): never {
  throw new Error('a request went past the hook that answers it');
}

function frameOf(request: FastifyRequest): HttpFrame {
  const { headers } = request;
  // There are none where the path could not be decoded.
  const { chainId, apiKey } = (request.params ?? {}) as { chainId?: string; apiKey?: string };
  return {
    requestId: request.id,
    credentials: { chainId, pathKey: apiKey, xApiKey: headers['x-api-key'], authorization: headers.authorization },
    origin: headers.origin,
    clientAddress: request.ip,
    headers,
    // Sent twice, it is one text that no trace goes on from.
    traceparent: headers['traceparent'] as string | undefined,
  };
}

function send(reply: FastifyReply, { requestId, origin }: HttpFrame, answer: HttpAnswer): FastifyReply {
  reply.code(answer.status).headers(corsHeaders(origin, answer.allowedOrigins));
  if (answer.retryAfterSeconds !== undefined) reply.header('retry-after', answer.retryAfterSeconds);
  return reply
    .header(REQUEST_ID_HEADER, requestId)
    .header('content-type', 'application/json; charset=utf-8')
    .send(answer.body);
}

/** Longer than any honest Content-Type: what matches patterns of white space must be short. */
const MAX_CONTENT_TYPE_LENGTH = 100;
const JSON_IN_UTF8 = /^application\/json\s*(?:;\s*charset\s*=\s*(?:utf-?8|"utf-?8")\s*)?;?\s*$/i;

/** Only JSON in UTF-8, as it is: a compressed body could unfold to any size. */
function assertPlainJson({ headers }: FastifyRequest): void {
  const type = headers['content-type'] ?? '';
  if (type !== 'application/json' && (type.length > MAX_CONTENT_TYPE_LENGTH || !JSON_IN_UTF8.test(type))) {
    throw new InvalidRequestError('Content-Type must be application/json in UTF-8.', 'UNSUPPORTED_MEDIA_TYPE');
  }
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return;
  throw new InvalidRequestError('Content-Encoding is not supported; send the body as it is.', 'UNSUPPORTED_MEDIA_TYPE');
}

/** What Fastify refuses by itself, in our words. */
function frameError(error: unknown): unknown {
  if (error instanceof InvalidRequestError) return error;
  const { statusCode } = error as { statusCode?: number };
  const theirs = statusCode !== undefined && statusCode < 500;
  return theirs ? new InvalidRequestError('The HTTP request is malformed.') : error;
}
