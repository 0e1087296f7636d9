import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Span, Tracer } from '@paymaster/tracing';
import type { FastifyRequest } from 'fastify';
import type { AuthenticatedRequest } from './caller';

/** Routes that are requested all the time and whose spans nobody would read. */
const QUIET = /^\/(health|metrics)(\/|$)/;

/**
 * Makes one span per REST request. The span has the name of the route's pattern, because the path contains ids and the
 * query may contain more. While tracing is off it adds no hooks and costs nothing. Call it before the application is
 * initialized.
 */
export function traceRequests(app: NestFastifyApplication, tracer: Tracer): void {
  if (!tracer.isOn) return;
  const spans = new WeakMap<FastifyRequest, Span>();
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { url: route = 'unknown route' } = request.routeOptions;
    if (!QUIET.test(route)) spans.set(request, tracer.serve(`${request.method} ${route}`, traceparentOf(request)));
    done();
  });
  fastify.addHook('onResponse', (request, { statusCode }, done) => {
    const span = spans.get(request);
    if (span) end(span, { request, statusCode });
    done();
  });
  // The client has closed its connection, so there is no response.
  fastify.addHook('onRequestAbort', (request, done) => {
    spans.get(request)?.end();
    spans.delete(request);
    done();
  });
}

function end(span: Span, { request, statusCode }: { request: FastifyRequest; statusCode: number }): void {
  const { paymaster } = request as Partial<AuthenticatedRequest>;
  span.set('request.id', request.id);
  span.set('http.request.method', request.method);
  span.set('http.route', request.routeOptions.url ?? 'unknown route');
  span.set('http.response.status_code', statusCode);
  if (paymaster) {
    span.set('paymaster.id', paymaster.id);
    span.set('chain.id', paymaster.chainId);
  }
  if (statusCode >= 500) span.failed(statusCode);
  span.end();
}

function traceparentOf({ headers }: FastifyRequest): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === 'string' ? traceparent : undefined;
}
