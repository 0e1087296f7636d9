import { NO_TRACER } from './no-tracer';
import type { Tracer } from './span';

export interface TracingOptions {
  /** What this process is called in traces. */
  readonly serviceName: string;
  /** Base URL of an OTLP/HTTP collector, without `/v1/traces`; undefined: no traces. */
  readonly endpoint?: string | undefined;
  /** For the collector, as OpenTelemetry writes them: `name=value`, separated by commas, values URL-encoded. */
  readonly headers?: string | undefined;
  /** The share of traces that is kept, 0 to 1. */
  readonly sampleRatio: number;
  /** Hears once when the collector stops taking spans, and again only after it has taken some. */
  readonly onFault?: ((message: string) => void) | undefined;
}

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
