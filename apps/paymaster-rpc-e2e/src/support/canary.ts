import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Canary {
  readonly url: string;
  /** How many requests came in. */
  visits(): number;
  stop(): Promise<void>;
}

/** A web server that nobody should ever call. */
export async function startCanary(): Promise<Canary> {
  let visits = 0;
  const server = createServer((_request, response) => {
    visits++;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/canary`,
    visits: () => visits,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
