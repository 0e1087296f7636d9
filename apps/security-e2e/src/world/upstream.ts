import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What it does with a request: answer it, or refuse it and repeat everything that came with it. */
export type Manner = 'good' | 'repeats';

/** A server outside that is reached by a URL or a header with a secret in it, and that may say the secret aloud. */
export class Upstream {
  manner: Manner = 'good';
  /** How many requests came in. */
  asked = 0;

  private constructor(
    readonly url: string,
    private readonly close: () => Promise<void>,
  ) {}

  /** @param answer the JSON it answers a body with */
  static async start(answer: (body: string) => Promise<string>): Promise<Upstream> {
    const server = createServer((request, response) => {
      upstream.asked += 1;
      void bodyOf(request)
        .then((body) => upstream.respond({ request, response, body, answer }))
        .catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const upstream: Upstream = new Upstream(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return upstream;
  }

  stop(): Promise<void> {
    return this.close();
  }

  private async respond(exchange: {
    request: IncomingMessage;
    response: ServerResponse;
    body: string;
    answer: (body: string) => Promise<string>;
  }): Promise<void> {
    const { request, response, body, answer } = exchange;
    response.setHeader('content-type', 'application/json');
    if (this.manner === 'good') return void response.end(await answer(body));
    const { id } = body === '' ? { id: 1 } : (JSON.parse(body) as { id?: number });
    const message = `${request.method} ${request.url} ${JSON.stringify(request.headers)} is refused`;
    response.statusCode = id === undefined ? 401 : 200;
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message, data: message } }));
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
