import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';

/**
 * They take 230 MB when each has sent the longest headers that are allowed; an app's `limits.memory` has room for that.
 */
export const MOST_CONNECTIONS = 10_000;
/** A connection is idle when nothing was read on it for this long; milliseconds. */
const IDLE_MS = 1_000;
/** How often refused connections are logged; milliseconds. */
const SAY_EVERY_MS = 60_000;

/** The property in which Node keeps a connection's current answer, until its last byte was sent. */
type HttpSocket = Socket & { readonly _httpMessage?: object | null };

/**
 * Bounds the connections of a server. Each connection costs buffers before its first request, so anybody who opens
 * enough of them could end the process. At the bound a new connection is refused, and all idle connections are closed:
 * those without an answer under way on which nothing was read for `idleMs`. A balancer opens another connection when it
 * needs one; an attacker who holds thousands loses them.
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
    // Checks all connections at most once per interval. If it checked them for each refused connection, attackers could
    // cause much work.
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
