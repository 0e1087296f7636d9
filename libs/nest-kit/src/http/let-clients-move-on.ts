import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * From now on every answer closes its connection, so that clients which keep theirs open have moved on before the
 * server closes: a balancer sends new connections elsewhere, but cannot move one that stands. Costs nothing before.
 */
export function letClientsMoveOn(server: Server): void {
  // First of all listeners: the others may answer at once.
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('connection', 'close');
  });
}
