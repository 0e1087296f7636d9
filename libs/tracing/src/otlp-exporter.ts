import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node';

/** A batch that takes longer is dropped; milliseconds. */
export const EXPORT_TIMEOUT_MS = 5_000;

type Done = Parameters<SpanExporter['export']>[1];
type Result = Parameters<Done>[0];

/** The values of `ExportResultCode`. Its package, `@opentelemetry/core`, is no dependency of ours. */
const SUCCESS = { code: 0 } satisfies Result;
const FAILED = { code: 1 } satisfies Result;

export interface OtlpExporterOptions {
  /** Base URL of the collector. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly onFault?: ((message: string) => void) | undefined;
}

/**
 * Sends batches to an OTLP/HTTP collector, as JSON over one connection. A batch that is not taken is dropped.
 *
 * Not OpenTelemetry's exporter: that one also reads the environment, sends a batch again while the next ones queue,
 * and keeps its connections when it is shut down.
 */
export class OtlpExporter implements SpanExporter {
  private readonly url: URL;
  private readonly agent: HttpAgent;
  private readonly send: typeof httpRequest;
  private isDown = false;

  constructor(private readonly options: OtlpExporterOptions) {
    this.url = new URL(`${options.endpoint.replace(/\/+$/, '')}/v1/traces`);
    const isTls = this.url.protocol === 'https:';
    this.send = isTls ? httpsRequest : httpRequest;
    this.agent = new (isTls ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: 1 });
  }

  export(spans: ReadableSpan[], done: Done): void {
    this.post(JsonTraceSerializer.serializeRequest(spans) ?? new Uint8Array()).then(
      () => done(this.reportOnce(SUCCESS)),
      () => done(this.reportOnce(FAILED)),
    );
  }

  forceFlush(): Promise<void> {
    return Promise.resolve();
  }

  /** Gives up on what is on its way. */
  shutdown(): Promise<void> {
    this.agent.destroy();
    return Promise.resolve();
  }

  private post(body: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      const outgoing = this.send(this.url, {
        method: 'POST',
        agent: this.agent,
        headers: { ...this.options.headers, 'content-type': 'application/json', 'content-length': body.length },
        signal: AbortSignal.timeout(EXPORT_TIMEOUT_MS),
      });
      outgoing.once('error', reject);
      outgoing.once('response', (answer) => {
        const { statusCode = 0 } = answer;
        answer.once('error', reject);
        answer.once('end', () => (statusCode >= 200 && statusCode < 300 ? resolve() : reject(new Error('not taken'))));
        answer.resume();
      });
      outgoing.end(body);
    });
  }

  /** Reports an outage once, because a batch ends every second. It never reports what the collector said. */
  private reportOnce(result: Result): Result {
    const failed = result.code !== SUCCESS.code;
    if (failed && !this.isDown) {
      this.options.onFault?.('the trace collector takes no spans; they are dropped until it does');
    }
    this.isDown = failed;
    return result;
  }
}
