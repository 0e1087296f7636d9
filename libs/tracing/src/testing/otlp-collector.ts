import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@paymaster/domain/testing';

/** A span as it was exported. */
export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly kind: 'internal' | 'server' | 'client';
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly hasFailed: boolean;
}

/** What the collector does with a batch: take it, answer with an error, or never answer. */
export type Behaviour = 'take' | 'fail' | 'hang';

interface Attribute {
  readonly key: string;
  readonly value: { stringValue?: string; boolValue?: boolean; intValue?: number | string; doubleValue?: number };
}

/** The parts of an OTLP export in JSON that are looked at. */
interface Export {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: ReadonlyArray<{
      readonly spans: ReadonlyArray<{
        readonly name: string;
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly kind: number;
        readonly attributes: readonly Attribute[];
        readonly status?: { readonly code?: number };
      }>;
    }>;
  }>;
}

const KINDS = { 1: 'internal', 2: 'server', 3: 'client' } as const;
const ERROR = 2;

/** An OTLP/HTTP collector in memory. */
export class OtlpCollector {
  behaviour: Behaviour = 'take';
  readonly spans: CollectedSpan[] = [];
  /** Bodies as they came, for what must not be in them; of batches that were failed or left hanging too. */
  readonly bodies: string[] = [];
  readonly headers: IncomingHttpHeaders[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<OtlpCollector> {
    const server = createServer();
    const collector = new OtlpCollector(server);
    server.on('request', (request, response) => void collector.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The spans of that name, once there are any. */
  async named(name: string, { atLeast = 1 }: { atLeast?: number } = {}): Promise<CollectedSpan[]> {
    return until(() => {
      const found = this.spans.filter((span) => span.name === name);
      return found.length >= atLeast && found;
    }, `a span "${name}" comes`);
  }

  childrenOf({ traceId, spanId }: CollectedSpan): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId && span.parentSpanId === spanId);
  }

  /** From now on connections are refused. */
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    this.bodies.push(body);
    this.headers.push(request.headers);
    if (this.behaviour === 'hang') return;
    if (this.behaviour === 'fail') return void response.writeHead(500).end('broken');
    if (request.method !== 'POST' || request.url !== '/v1/traces') return void response.writeHead(404).end();
    this.spans.push(...spansIn(JSON.parse(body) as Export));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }
}

function spansIn({ resourceSpans }: Export): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, traceId, spanId, parentSpanId = '', kind, attributes, status }) => ({
        ...{ service, name, traceId, spanId, parentSpanId },
        kind: KINDS[kind as keyof typeof KINDS],
        attributes: valuesOf(attributes),
        hasFailed: status?.code === ERROR,
      })),
    );
  });
}

function valuesOf(attributes: readonly Attribute[]): Record<string, string | number | boolean> {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, boolValue, intValue, doubleValue } }) => [
      key,
      stringValue ?? boolValue ?? (intValue === undefined ? (doubleValue ?? '') : Number(intValue)),
    ]),
  );
}
