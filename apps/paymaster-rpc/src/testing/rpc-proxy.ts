import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A node in front of another one. */
export interface RpcProxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** Passes requests on to a node, except those that it answers with an error of its own. */
export async function startRpcProxy(
  target: string,
  refuse: (request: { method: string; params: readonly unknown[] }) => { code: number; message: string } | undefined,
): Promise<RpcProxy> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const asked = JSON.parse(body) as { id: unknown; method: string; params: readonly unknown[] };
    const error = refuse(asked);
    const headers = { 'content-type': 'application/json' };
    const answer = error
      ? JSON.stringify({ jsonrpc: '2.0', id: asked.id, error })
      : await (await fetch(target, { method: 'POST', headers, body })).text();
    response.writeHead(200, headers).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
