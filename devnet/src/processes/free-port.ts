import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProcessStartError } from './process-registry';

const LOOPBACK = '127.0.0.1';
const TAKEN = /address already in use|EADDRINUSE|could not bind|Address in use/i;
/**
 * Below what systems lend to outgoing connections (Linux: from 32768). A port of theirs may be lent out between being
 * found and being bound, or while its server is down: to the very client that tries to reach it, which then meets itself.
 */
const FIRST_PORT = 10_000;
const END_OF_PORTS = 32_000;
/** Ports tried before the system is asked for one of its own. */
const TRIES = 50;
/** Starts of one server; each meets a port that was free a moment before. */
const STARTS = 10;
/** Another process may have a port for a moment; it will be free again. */
const RESTARTS = 300;
const PAUSE_MS = 200;

/** Never the same twice: two servers may be on their way at once. */
const given = new Set<number>();

/** The preferred port when nobody listens on it, else one that is free. Loopback only. */
export async function freePort(preferred = 0): Promise<number> {
  const wanted = preferred > 0 && (await tryListen(preferred));
  if (wanted) return wanted;
  for (let tried = 0; tried < TRIES; tried++) {
    const port = randomInt(FIRST_PORT, END_OF_PORTS);
    if (given.has(port) || !(await tryListen(port))) continue;
    given.add(port);
    return port;
  }
  return (await tryListen(0)) ?? Promise.reject(new Error(`no free port on ${LOOPBACK}`));
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
      if (!taken || attempt === STARTS) throw error;
    }
  }
}

/** Starts a server again on the port that its clients know. @param start uses another port if this port is busy */
export async function onSamePort<Server extends { readonly port: number; stop(): Promise<void> }>(
  port: number,
  start: (port: number) => Promise<Server>,
): Promise<Server> {
  for (let attempt = 0; attempt < RESTARTS; attempt++) {
    const server = await start(port);
    if (server.port === port) return server;
    await server.stop();
    await sleep(PAUSE_MS);
  }
  throw new Error(`port ${port} was taken meanwhile`);
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
