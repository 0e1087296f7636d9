import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as it came in. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What the receiver does with a request. */
export type Behaviour = (response: ServerResponse, request: ReceivedRequest) => void;

/** Answers with a status and JSON. */
export function answers(status: number, body: unknown): Behaviour {
  return (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** A server on loopback that records what it gets and does what the test says. */
export class WebhookReceiver {
  readonly requests: ReceivedRequest[] = [];
  /** TCP connections, whatever came of them. */
  connections = 0;
  behaviour: Behaviour = answers(200, { arePoliciesVerified: true });

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  static async start(host = '127.0.0.1'): Promise<WebhookReceiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    const receiver = new WebhookReceiver(server, (server.address() as AddressInfo).port);
    server.on('connection', () => (receiver.connections += 1));
    server.on('request', (incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const request: ReceivedRequest = {
          method: incoming.method ?? '',
          path: incoming.url ?? '',
          headers: incoming.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        };
        receiver.requests.push(request);
        receiver.behaviour(response, request);
      });
    });
    return receiver;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
