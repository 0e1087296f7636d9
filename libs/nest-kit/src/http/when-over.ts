import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The callbacks of each connection. Each connection gets only one listener, however many requests wait on it. */
const WAITING = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back once a response is over: it was sent, or its connection has closed. This is needed for pipelining: when a
 * connection closes, Node emits no event on a response that waits behind another on that connection.
 *
 * @returns a function that stops waiting, for callers that wait several times during one response
 */
export function whenOver(response: ServerResponse, then: () => void): () => void {
  const { socket } = response.req;
  const waiting = waitingOn(socket);
  const over = (): void => {
    if (waiting.delete(over)) then();
  };
  waiting.add(over);
  response.once('close', over);
  // The connection had closed before this call.
  if (socket.closed) over();
  return () => {
    waiting.delete(over);
    response.off('close', over);
  };
}

function waitingOn(socket: Socket): Set<() => void> {
  const known = WAITING.get(socket);
  if (known) return known;
  const waiting = new Set<() => void>();
  WAITING.set(socket, waiting);
  socket.once('close', () => waiting.forEach((over) => over()));
  return waiting;
}
