import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HealthService } from '../health/health.service';
import type { Metrics } from '../metrics/metrics';

/** The port is in use, or the process has no right to open it. */
export class MonitorPortError extends Error {
  constructor(address: string, cause: unknown) {
    const { code } = cause as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'another process listens there' : (code ?? String(cause));
    super(`MONITOR_PORT cannot be opened on ${address}: ${reason}`, { cause });
    this.name = 'MonitorPortError';
  }
}

/** The services of an app that the monitor uses. */
export interface Monitored {
  readonly health: Pick<HealthService, 'summarize'>;
  readonly metrics: Pick<Metrics, 'contentType' | 'render'>;
}

const BOOTING = { status: 'unavailable', checks: { boot: { essential: true, status: 'down', detail: 'not done' } } };
const LIVE = { status: 'ok' };
/** Probes send no more than a line, so a slower client is no probe. Milliseconds. */
const REQUEST_TIMEOUT_MS = 5_000;

/**
 * Serves health and metrics on a separate port, with plain `node:http` beside the app. So it answers also while the
 * public port is busy, full or closed, and health and metrics are never public. It answers from the time before the app
 * is made (alive, not ready) until the process ends.
 */
export class Monitor {
  private monitored?: Monitored;

  private constructor(private readonly server: Server) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.answer(request, response).catch(() => response.destroy());
    });
  }

  /** @param at port 0: any free one @throws {MonitorPortError} */
  static open({ host, port }: { host: string; port: number }): Promise<Monitor> {
    const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS });
    const monitor = new Monitor(server);
    return new Promise((resolve, reject) => {
      server.once('error', (error) => reject(new MonitorPortError(`${host}:${port}`, error)));
      server.listen(port, host, () => resolve(monitor));
    });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** From now on the app answers for itself: call it when the public port listens. */
  watch(monitored: Monitored): void {
    this.monitored = monitored;
  }

  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    return closed;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') return sendJson(response, 405, {});
    const [path = ''] = (request.url ?? '').split('?', 1);
    switch (path) {
      case '/health/live':
        return sendJson(response, 200, LIVE);
      case '/health/ready': {
        const summary = await this.summarize();
        return sendJson(response, summary.status === 'unavailable' ? 503 : 200, summary);
      }
      case '/health':
        return sendJson(response, 200, await this.summarize());
      case '/metrics':
        return this.sendMetrics(response);
      default:
        return sendJson(response, 404, {});
    }
  }

  private summarize(): Promise<{ status: string }> {
    return this.monitored ? this.monitored.health.summarize() : Promise.resolve(BOOTING);
  }

  private async sendMetrics(response: ServerResponse): Promise<void> {
    if (!this.monitored) return sendJson(response, 503, BOOTING);
    const { metrics } = this.monitored;
    response.writeHead(200, { 'content-type': metrics.contentType }).end(await metrics.render());
  }
}

/** Opens the monitor port of the configuration, if it has one. @throws {MonitorPortError} */
export async function openMonitor(config: { host: string; monitorPort?: number }): Promise<Monitor | undefined> {
  const { host, monitorPort } = config;
  return monitorPort === undefined ? undefined : Monitor.open({ host, port: monitorPort });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}
