import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';

/** With heads of the largest size on all of them, 230 MB: what an app's `limits.memory` has beside everything else. */
export const MOST_CONNECTIONS = 10_000;
/** On a connection that lies idle nothing is read for so long; milliseconds. */
const IDLE_MS = 1_000;
/** How often it is said that connections are refused; milliseconds. */
const SAY_EVERY_MS = 60_000;

/** Node keeps here the answer that a connection is for at the moment, until the last byte of it was sent. */
type HttpSocket = Socket & { readonly _httpMessage?: object | null };

/**
 * Bounds the connections of a server. Each costs its buffers before anything is asked on it, so whoever opens enough of
 * them ends the process. When there are as many, one more is refused, and all are closed that have no answer under way
 * and on which nothing is heard for `idleMs`: a balancer opens another when it needs one, and whoever holds thousands
 * loses them.
 */
export function boundConnections(server: Server, { most = MOST_CONNECTIONS, idleMs = IDLE_MS } = {}): void {
  const logger = new Logger('connections');
  const open = new Set<HttpSocket>();
  let isMakingRoom = false;
  let saidAtMs = -Infinity;
  server.maxConnections = most;
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('drop', () => {
    // Looking at all of them for each that is refused would be work that anybody can ask for.
    if (isMakingRoom) return;
    isMakingRoom = true;
    const readBefore = new Map([...open].map((socket) => [socket, socket.bytesRead]));
    setTimeout(() => {
      isMakingRoom = false;
      const idle = [...readBefore].filter(([socket, bytes]) => !socket._httpMessage && socket.bytesRead === bytes);
      for (const [socket] of idle) socket.destroy();
    }, idleMs).unref();
    if (performance.now() - saidAtMs < SAY_EVERY_MS) return;
    saidAtMs = performance.now();
    logger.warn(`${most} connections are open: more are refused, and those that lie idle are closed`);
  });
}
