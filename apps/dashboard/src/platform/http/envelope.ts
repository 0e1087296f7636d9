import { HttpStatus } from '@nestjs/common';

/** The body of every answer (interface, "Dashboard response envelope"). */
export interface Envelope<T = undefined> {
  readonly statusCode: number;
  readonly message: string;
  readonly data?: T;
  /** What the caller should know of what was done. Left out where there is nothing. */
  readonly warnings?: readonly string[];
}

/** A success. Every operation answers 200, POST too. */
export function ok(message: string): Envelope;
export function ok<T>(message: string, data: T): Envelope<T>;
export function ok<T>(message: string, data?: T): Envelope<T> {
  return { statusCode: HttpStatus.OK, message, ...(data !== undefined && { data }) };
}

/** A success of which the caller should know more. */
export function okWith(warnings: readonly string[], message: string): Envelope {
  return { ...ok(message), ...(warnings.length > 0 && { warnings }) };
}
