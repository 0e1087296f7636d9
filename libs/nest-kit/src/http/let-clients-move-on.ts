import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * From now on every answer closes its connection. So keep-alive clients have moved to another process before the server
 * closes: a balancer sends new connections elsewhere, but cannot move an open connection. Before this call it costs
 * nothing.
 */
export function letClientsMoveOn(server: Server): void {
  // Must be the first listener, because other listeners may answer at once.
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('connection', 'close');
  });
}
