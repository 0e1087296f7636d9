import { setTimeout as sleep } from 'node:timers/promises';

/** Another process may have the port for a moment; it will be free again. */
const TRIES = 300;
const PAUSE_MS = 200;

/** Starts a server again on the port that its clients know. @param start uses another port if this port is busy */
export async function onSamePort<Server extends { readonly port: number; stop(): Promise<void> }>(
  port: number,
  start: (port: number) => Promise<Server>,
): Promise<Server> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const server = await start(port);
    if (server.port === port) return server;
    await server.stop();
    await sleep(PAUSE_MS);
  }
  throw new Error(`port ${port} was taken meanwhile`);
}
