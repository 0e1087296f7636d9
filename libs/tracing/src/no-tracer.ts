import type { Span, Tracer } from './span';

/** The span of work that nobody traces: a constant, and its own child. */
export const NO_SPAN: Span = Object.freeze({
  isRecording: false,
  traceparent: undefined,
  child: () => NO_SPAN,
  call: () => NO_SPAN,
  set: () => undefined,
  failed: () => undefined,
  until: <T>(work: Promise<T>) => work,
  end: () => undefined,
});

/** Tracing that is off. */
export const NO_TRACER: Tracer = Object.freeze({
  isOn: false,
  serve: () => NO_SPAN,
  begin: () => NO_SPAN,
  close: () => Promise.resolve(),
});
