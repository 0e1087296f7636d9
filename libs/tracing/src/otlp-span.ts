import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';
import { DependencyUnavailableError, DomainError } from '@paymaster/domain';
import type { AttributeValue, Span } from './span';
import { formatTraceparent } from './traceparent';

/** A span of OpenTelemetry's SDK. One that is not sampled is its own child: it only carries the trace's id on. */
export class OtlpSpan implements Span {
  readonly isRecording: boolean;

  constructor(
    private readonly tracer: OtelTracer,
    private readonly span: OtelSpan,
  ) {
    this.isRecording = span.isRecording();
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return formatTraceparent({ traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 });
  }

  child(name: string): Span {
    return this.part(name, SpanKind.INTERNAL);
  }

  call(name: string): Span {
    return this.part(name, SpanKind.CLIENT);
  }

  set(attribute: string, value: AttributeValue): void {
    this.span.setAttribute(attribute, value);
  }

  failed(error: unknown): void {
    if (!this.isRecording) return;
    this.set('error.type', typeOf(error));
    if (error instanceof DomainError) this.set('reason', error.reason);
    const isAnswer = error instanceof DomainError && !(error instanceof DependencyUnavailableError);
    if (!isAnswer) this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  until<T>(work: Promise<T>): Promise<T> {
    if (!this.isRecording) return work;
    work.then(
      () => this.end(),
      (error: unknown) => {
        this.failed(error);
        this.end();
      },
    );
    return work;
  }

  end(): void {
    this.span.end();
  }

  private part(name: string, kind: SpanKind): Span {
    if (!this.isRecording) return this;
    const context = trace.setSpan(ROOT_CONTEXT, this.span);
    return new OtlpSpan(this.tracer, this.tracer.startSpan(name, { kind }, context));
  }
}

/** A word that says nothing of what was in the request. */
function typeOf(error: unknown): string {
  if (error instanceof Error) return error.name;
  return typeof error === 'number' ? String(error) : 'unknown';
}
