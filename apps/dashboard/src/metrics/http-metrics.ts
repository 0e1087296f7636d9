import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Metrics, Tally, Timing } from '@paymaster/nest-kit';
import type { FastifyRequest } from 'fastify';

/** What a request to no route is counted under. */
const NO_ROUTE = 'none';
/** Methods that have a route of ours; of others, Node knows dozens. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Counts and measures every request by its route's pattern, never by its path: paths hold ids, and strangers make them
 * up. Call it before the application is initialized.
 */
export function measureRequests(app: NestFastifyApplication, metrics: Metrics): void {
  const requests = metrics.counter({
    name: 'paymaster_http_requests_total',
    help: 'REST requests that were answered',
    labelNames: ['route', 'method', 'status'],
  });
  const seconds = metrics.histogram({
    name: 'paymaster_http_request_seconds',
    help: 'How long answers to REST requests took',
    labelNames: ['route', 'method'],
  });
  const tallies = new Map<string, Tally>();
  const timings = new Map<string, Timing>();
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onResponse', (request, reply, done) => {
      const { route, method } = placeOf(request);
      const status = String(reply.statusCode);
      const place = `${method} ${route}`;
      const tally = found(tallies, `${place} ${status}`, () => requests.tally({ route, method, status }));
      tally.value++;
      found(timings, place, () => seconds.timing({ route, method })).observe(reply.elapsedTime / 1_000);
      done();
    });
}

function placeOf({ routeOptions, method }: FastifyRequest): { route: string; method: string } {
  const route = routeOptions.url;
  if (route === undefined || !METHODS.has(method)) return { route: NO_ROUTE, method: NO_ROUTE };
  return { route, method };
}

function found<T>(known: Map<string, T>, key: string, make: () => T): T {
  const there = known.get(key);
  if (there !== undefined) return there;
  const made = make();
  known.set(key, made);
  return made;
}
