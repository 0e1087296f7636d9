import type { IncomingMessage, Server } from 'node:http';
import type { INestApplication, Type, DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyServerFactory } from 'fastify';
import { Logger } from 'nestjs-pino';
import { REQUEST_ID_HEADER } from '@paymaster/messaging';
import { HealthService } from '../health/health.service';
import { logUnhandledRejections } from '../logging/log-unhandled-rejections';
import { recordRouteWords } from '../logging/logger.module';
import { requestIdFrom } from '../logging/request-id';
import { Metrics } from '../metrics/metrics';
import type { Monitor } from '../monitor/monitor';
import { boundConnections } from './bound-connections';
import { letClientsMoveOn } from './let-clients-move-on';

export interface HttpAppOptions {
  /** Largest request body; unit: bytes. */
  readonly bodyLimitBytes: number;
  /** How many proxies in front are trusted for the client's address; 0 without a proxy. */
  readonly trustedProxies?: number;
  /** Makes the HTTP server around Nest's handler, for an app that serves some of its paths without Nest. */
  readonly serverFactory?: FastifyServerFactory;
}

/**
 * How long a connection may be idle between requests: longer than a balancer keeps it (ingress-nginx: 60 s), because a
 * connection that is closed while the balancer sends on it is a failed request. Milliseconds.
 */
export const KEEP_ALIVE_MS = 72_000;
/** A connection without traffic for this long is cut, for example when its client does not read the answer; ms. */
const STILL_CONNECTION_MS = 60_000;
/** Node refuses longer request heads; bytes. */
const MAX_PATH_LENGTH = 16_384;
/** The answer to a path that cannot be decoded, in the envelope of REST. */
const MALFORMED_ADDRESS = JSON.stringify({ statusCode: 400, message: 'The address is malformed' });
/** A shutdown that takes longer is cut, because some clients never close connections; milliseconds. */
const CLOSE_DEADLINE_MS = 15_000;
const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** A Nest application on Fastify with the limits and the logger every service here has. */
export async function createHttpApp(
  module: Type | DynamicModule,
  { bodyLimitBytes, trustedProxies = 0, serverFactory }: HttpAppOptions,
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: bodyLimitBytes,
    requestTimeout: 10_000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionTimeout: STILL_CONNECTION_MS,
    // By default Node looks for slow requests only every 30 s, and gives their headers 60 s.
    http: { connectionsCheckingInterval: 1_000, headersTimeout: 10_000 },
    // The request id has to be made here: Fastify would number requests itself, and the logger keeps an id that exists.
    genReqId: (request: IncomingMessage) => requestIdFrom(request.headers[REQUEST_ID_HEADER]),
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    forceCloseConnections: 'idle',
    // Some clients double the slash in front of `api`.
    routerOptions: { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true, maxParamLength: MAX_PATH_LENGTH },
    // This error comes before any route and before the app's error filter. Fastify's own body must not be sent, because
    // it repeats the path.
    frameworkErrors: (_error: Error, _request: unknown, { raw }: Pick<FastifyReply, 'raw'>) => {
      raw.writeHead(400, { 'content-type': 'application/json; charset=utf-8' }).end(MALFORMED_ADDRESS);
    },
    trustProxy: trustedProxies > 0 ? trustedProxies : false,
    ...(serverFactory && { serverFactory }),
  });
  boundConnections(adapter.getInstance().server);
  adapter.getInstance().addHook('onRequest', (request, reply, done) => {
    void reply.header(REQUEST_ID_HEADER, request.id);
    done();
  });
  adapter.getInstance().addHook('onRoute', ({ url }) => recordRouteWords(url));
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bufferLogs: true,
    abortOnError: false,
  });
  app.useLogger(app.get(Logger));
  return app;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Time between failing readiness and closing, so that balancers stop sending; unit: seconds. */
  readonly drainSeconds: number;
  /** The open monitor port; from now on it answers for the app, and it ends with the process. */
  readonly monitor?: Monitor | undefined;
}

/**
 * Listens, and on SIGTERM or SIGINT first fails readiness and closes connections with their next answer, waits
 * `drainSeconds`, then lets running requests finish.
 * A shutdown that hangs is cut after 15 s, a second signal ends the process at once.
 */
export async function listenUntilSignalled(
  app: INestApplication,
  { host, port, drainSeconds, monitor }: ListenOptions,
): Promise<void> {
  await app.listen(port, host);
  const logger = app.get(Logger);
  const health = app.get(HealthService, { strict: false });
  monitor?.watch({ health, metrics: app.get(Metrics, { strict: false }) });
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.log(`${signal}: draining for ${drainSeconds} s`);
    health.startDraining();
    letClientsMoveOn(app.getHttpServer() as Server);
    setTimeout(() => {
      setTimeout(() => {
        logger.error(`shutdown took longer than ${CLOSE_DEADLINE_MS} ms`);
        process.exit(1);
      }, CLOSE_DEADLINE_MS).unref();
      app.close().then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error(error, 'shutdown failed');
          process.exit(1);
        },
      );
    }, drainSeconds * 1_000);
  };
  for (const signal of STOP_SIGNALS) process.off(signal, endBoot).on(signal, stop);
}

/**
 * Ends the process while nothing has begun yet. Without a listener, the kernel would keep the signal from process 1 of
 * a container.
 */
function endBoot(): never {
  process.exit(0);
}

/** Runs a service's `main`: a failure to boot is one readable message and exit code 1; later rejections are logged. */
export function run(main: () => Promise<void>): void {
  logUnhandledRejections();
  for (const signal of STOP_SIGNALS) process.on(signal, endBoot);
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  });
}
