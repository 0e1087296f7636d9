import { randomUUID } from 'node:crypto';

const ACCEPTABLE = /^[A-Za-z0-9_.-]{1,64}$/;

/** The caller's request id when it is harmless to log and echo, else a new one. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && ACCEPTABLE.test(header) ? header : randomUUID();
}
