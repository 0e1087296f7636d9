import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * From now on every answer closes its connection, so that keep-alive clients have moved on before the server closes: a
 * balancer sends new connections elsewhere, but cannot move an open one. Costs nothing before.
 */
export function letClientsMoveOn(server: Server): void {
  // The first of all listeners, because the others may answer at once.
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('connection', 'close');
  });
}
