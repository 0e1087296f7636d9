/** Traces by hand: a span is an argument or a field, never ambient; off, it costs a call that does nothing. */
export * from './no-tracer';
export * from './open-tracing';
export type { TracingOptions } from './otlp-tracer';
export * from './span';
export * from './traceparent';
