import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands between a server and its chain, and counts the calls by method. */
export interface RpcCounter {
  readonly url: string;
  /** Calls since the last time it was asked. */
  take(): ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

export async function startRpcCounter(target: string): Promise<RpcCounter> {
  let counts = new Map<string, number>();
  const server = createServer((incoming, outgoing) => {
    void forward(incoming, outgoing).catch(() => outgoing.destroy());
  });
  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    for (const { method } of [JSON.parse(body.toString()) as { method: string }].flat())
      counts.set(method, (counts.get(method) ?? 0) + 1);
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    request(target, { method: 'POST', headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, { 'content-type': 'application/json' });
      answer.pipe(outgoing);
    })
      .on('error', () => outgoing.destroy())
      .end(body);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = counts;
      counts = new Map();
      return taken;
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
