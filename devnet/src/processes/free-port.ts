import { createServer } from 'node:net';
import { ProcessStartError } from './process-registry';

const LOOPBACK = '127.0.0.1';
const TAKEN = /address already in use|EADDRINUSE|could not bind|Address in use/i;

/** The preferred port when nobody listens on it, else one the system picks. Loopback only. */
export async function freePort(preferred = 0): Promise<number> {
  return (await tryListen(preferred)) ?? (await tryListen(0)) ?? Promise.reject(new Error('no free port on 127.0.0.1'));
}

/**
 * Starts a server on a free port. Between finding a port and binding it another process may take it: then the next
 * one is tried.
 */
export async function onFreePort<T>(preferred: number | undefined, start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(attempt === 1 ? preferred : 0);
    try {
      return await start(port);
    } catch (error) {
      const taken = error instanceof ProcessStartError && error.output.some((line) => TAKEN.test(line));
      if (!taken || attempt === 5) throw error;
    }
  }
}

function tryListen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(undefined))
      .listen(port, LOOPBACK, () => {
        const bound = server.address();
        server.close(() => resolve(typeof bound === 'object' && bound ? bound.port : undefined));
      });
  });
}
