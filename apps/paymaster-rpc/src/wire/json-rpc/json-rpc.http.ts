import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import Fastify, { type FastifyInstance } from 'fastify';
import { REQUEST_ID_HEADER } from '@paymaster/messaging';
import { KEEP_ALIVE_MS, requestIdFrom } from '@paymaster/nest-kit';
import { InvalidRequestError } from '../../platform/errors/rpc-errors';
import { jsonRpcRoutes, refusal } from './json-rpc.route';
import type { JsonRpcServer } from './json-rpc.server';

/** A request that is not complete after this time is cut off; milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000;
/** How often the server looks for such requests; milliseconds. */
const TIMEOUT_CHECK_MS = 1_000;

/** Node refuses longer request heads; bytes. */
const MAX_PATH_LENGTH = 16_384;

/**
 * The only paths that Nest answers; every other path is JSON-RPC's. Nest's refusals repeat the path, which may contain
 * an API key.
 */
const NEST_PATH = /^\/health(?:\/(?:live|ready))?\/?(?:\?|$)/;

/**
 * A separate Fastify instance for JSON-RPC, on the same port as Nest's. So JSON-RPC requests do not run Nest's hooks,
 * which would cost more than signing does: Fastify runs the hooks that Nest adds on every route of the same instance.
 */
export class JsonRpcHttp {
  private refuse?: ReturnType<typeof refusal>;
  private readonly fastify: FastifyInstance;
  private onFirstForwarded: (() => void) | undefined;

  /**
   * @param trustedProxies how many proxies in front are trusted for the client's address
   * @param onFirstForwarded called once, when a request came through a proxy although no proxy is trusted: then all
   *   clients count as one client
   */
  constructor({ trustedProxies }: { trustedProxies: number }, onFirstForwarded: () => void) {
    if (trustedProxies === 0) this.onFirstForwarded = onFirstForwarded;
    this.fastify = Fastify({
      trustProxy: trustedProxies > 0 ? trustedProxies : false,
      genReqId: (request) => requestIdFrom(request.headers[REQUEST_ID_HEADER]),
      // Accepts a key of any length here, so that the frame refuses it: its refusal is JSON-RPC and does not repeat the
      // key.
      routerOptions: { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true, maxParamLength: MAX_PATH_LENGTH },
      // Fastify refuses a path that cannot be decoded before any route sees it.
      frameworkErrors: (_error, request, reply) => {
        this.refuse?.(request, reply, new InvalidRequestError('The address is malformed.'));
      },
    });
  }

  /** The HTTP server for Nest and JSON-RPC. Give it to Nest, which opens and closes the port. */
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
   * @param deadlineMs how long a request may take; by default the longest that clients wait
   */
  async open(server: JsonRpcServer, deadlineMs?: number): Promise<void> {
    this.refuse = refusal(server);
    await this.fastify.register(jsonRpcRoutes(server, deadlineMs));
    await this.fastify.ready();
  }
}
