import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import Fastify, { type FastifyInstance } from 'fastify';
import { REQUEST_ID_HEADER } from '@paymaster/messaging';
import { KEEP_ALIVE_MS, requestIdFrom } from '@paymaster/nest-kit';
import { InvalidRequestError } from '../errors/rpc-errors';
import { jsonRpcRoutes, refusal } from './json-rpc.route';
import type { JsonRpcServer } from './json-rpc.server';

/** A request that is not complete by then is cut off; milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000;
/** How often such requests are looked for; milliseconds. */
const TIMEOUT_CHECK_MS = 1_000;

/** Node refuses longer request heads; bytes. */
const MAX_PATH_LENGTH = 16_384;

/** What Nest answers, and no more: its refusals repeat the path. The rest of the port is JSON-RPC. */
const NEST_PATH = /^\/health(?:\/(?:live|ready))?\/?(?:\?|$)/;

/**
 * A Fastify of its own on the port of Nest's: a JSON-RPC request passes no middleware, which would cost more than
 * signing does (Fastify hands the hooks that Nest adds down to every route of the same instance).
 */
export class JsonRpcHttp {
  private refuse?: ReturnType<typeof refusal>;
  private readonly fastify: FastifyInstance;
  private onFirstForwarded: (() => void) | undefined;

  /**
   * @param trustedProxies how many proxies in front are trusted for the client's address
   * @param onFirstForwarded hears once that there is a proxy though none is trusted: then all clients are one
   */
  constructor({ trustedProxies }: { trustedProxies: number }, onFirstForwarded: () => void) {
    if (trustedProxies === 0) this.onFirstForwarded = onFirstForwarded;
    this.fastify = Fastify({
      trustProxy: trustedProxies > 0 ? trustedProxies : false,
      genReqId: (request) => requestIdFrom(request.headers[REQUEST_ID_HEADER]),
      // A key of any length is looked at by the frame, so that its refusal is JSON-RPC and does not repeat it.
      routerOptions: { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true, maxParamLength: MAX_PATH_LENGTH },
      // A path that cannot be decoded, which is refused before any route.
      frameworkErrors: (_error, request, reply) => {
        this.refuse?.(request, reply, new InvalidRequestError('The address is malformed.'));
      },
    });
  }

  /** The server of both: hand it to Nest, which listens and closes it. */
  createServer(nest: RequestListener): Server {
    return createServer(
      {
        requestTimeout: REQUEST_TIMEOUT_MS,
        connectionsCheckingInterval: TIMEOUT_CHECK_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
      },
      (request: IncomingMessage, response: ServerResponse) => {
        if (NEST_PATH.test(request.url ?? '')) nest(request, response);
        else this.route(request, response);
      },
    ).on('close', () => void this.fastify.close());
  }

  private route(request: IncomingMessage, response: ServerResponse): void {
    if (this.onFirstForwarded && request.headers['x-forwarded-for'] !== undefined) {
      this.onFirstForwarded();
      this.onFirstForwarded = undefined;
    }
    this.fastify.routing(request, response);
  }

  /**
   * From now on requests are answered. Call it before the server listens.
   *
   * @param deadlineMs how long a request may take; what clients can wait for when absent
   */
  async open(server: JsonRpcServer, deadlineMs?: number): Promise<void> {
    this.refuse = refusal(server);
    await this.fastify.register(jsonRpcRoutes(server, deadlineMs));
    await this.fastify.ready();
  }
}
