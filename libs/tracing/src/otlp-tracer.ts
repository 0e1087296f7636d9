import { ROOT_CONTEXT, SpanKind, trace, TraceFlags, type Tracer as OtelTracer } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import { inTime } from '@paymaster/turns';
import { EXPORT_TIMEOUT_MS, OtlpExporter } from './otlp-exporter';
import { OtlpSpan } from './otlp-span';
import { parseHeaders } from './parse-headers';
import type { Span, Tracer } from './span';
import { parseTraceparent } from './traceparent';

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

/** Spans that wait for the collector; what is more is dropped. About 1 KB each. */
const MAX_QUEUE = 2_048;
const MAX_BATCH = 512;
/** Nothing that is meant to be an attribute is longer; what others send may be. Characters. */
const MAX_ATTRIBUTE_LENGTH = 256;
/** How long a span may wait for others; milliseconds. */
const DELAY_MS = 1_000;
/** What the last spans are worth to a process that ends; milliseconds. */
const CLOSE_MS = 2_000;

/** Sends spans to an OTLP/HTTP collector in the background. Whatever the collector does, no caller notices. */
export class OtlpTracer implements Tracer {
  readonly isOn = true;
  private readonly exporter: OtlpExporter;
  private readonly provider: BasicTracerProvider;
  private readonly tracer: OtelTracer;

  constructor(options: TracingOptions & { endpoint: string }) {
    const { serviceName, endpoint, headers, sampleRatio, onFault } = options;
    this.exporter = new OtlpExporter({ endpoint, headers: parseHeaders(headers), onFault });
    // One decision per trace id: processes with the same ratio keep the same traces, whoever began them.
    const ratio = new TraceIdRatioBasedSampler(sampleRatio);
    this.provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ [ATTR_SERVICE_NAME]: serviceName }),
      sampler: new ParentBasedSampler({ root: ratio, remoteParentSampled: ratio }),
      spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
      spanProcessors: [
        new BatchSpanProcessor(this.exporter, {
          maxQueueSize: MAX_QUEUE,
          maxExportBatchSize: MAX_BATCH,
          scheduledDelayMillis: DELAY_MS,
          exportTimeoutMillis: EXPORT_TIMEOUT_MS,
        }),
      ],
    });
    this.tracer = this.provider.getTracer('@paymaster/tracing');
  }

  serve(name: string, traceparent?: string): Span {
    const remote = parseTraceparent(traceparent);
    if (!remote) return new OtlpSpan(this.tracer, this.tracer.startSpan(name, { kind: SpanKind.SERVER, root: true }));
    const { traceId, spanId, isSampled } = remote;
    const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
    const context = trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
    return new OtlpSpan(this.tracer, this.tracer.startSpan(name, { kind: SpanKind.SERVER }, context));
  }

  begin(name: string): Span {
    return new OtlpSpan(this.tracer, this.tracer.startSpan(name, { root: true }));
  }

  async close(): Promise<void> {
    await inTime(this.provider.shutdown(), CLOSE_MS, () => undefined).catch(() => undefined);
    await this.exporter.shutdown();
  }
}
