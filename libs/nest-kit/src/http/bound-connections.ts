import type { Server } from 'node:http';
import { Logger } from '@nestjs/common';

/** With heads of the largest size on all of them, 230 MB: what an app's `limits.memory` has beside everything else. */
export const MOST_CONNECTIONS = 10_000;
/** How often it is said that connections are refused; milliseconds. */
const SAY_EVERY_MS = 60_000;

/**
 * Bounds the connections of a server. Each costs its buffers before anything is asked on it, so whoever opens enough of
 * them ends the process. One more than there may be is closed, and so are all that lie idle: their clients open another
 * when they need one, and whoever holds thousands loses them.
 */
export function boundConnections(server: Server, most = MOST_CONNECTIONS): void {
  const logger = new Logger('connections');
  let saidAtMs = -Infinity;
  server.maxConnections = most;
  server.on('drop', () => {
    server.closeIdleConnections();
    if (performance.now() - saidAtMs < SAY_EVERY_MS) return;
    saidAtMs = performance.now();
    logger.warn(`${most} connections are open: one was refused, and those that lie idle were closed`);
  });
}
