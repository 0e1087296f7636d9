import { NO_TRACER } from './no-tracer';
import type { TracingOptions } from './otlp-tracer';
import type { Tracer } from './span';

/**
 * Traces to a collector. Without an endpoint nothing of OpenTelemetry is loaded.
 *
 * @example
 * const tracer = await openTracing({ serviceName: 'dashboard', endpoint: 'http://collector:4318', sampleRatio: 0.1 });
 * const span = tracer.serve('GET /paymaster', request.headers.traceparent);
 */
export async function openTracing(options: TracingOptions): Promise<Tracer> {
  const { endpoint } = options;
  if (endpoint === undefined) return NO_TRACER;
  const { OtlpTracer } = await import('./otlp-tracer');
  return new OtlpTracer({ ...options, endpoint });
}
