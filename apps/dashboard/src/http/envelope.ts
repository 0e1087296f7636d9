import { HttpStatus } from '@nestjs/common';

/** The body of every answer (interface, "Dashboard response envelope"). */
export interface Envelope<T = undefined> {
  readonly statusCode: number;
  readonly message: string;
  readonly data?: T;
}

/** A success. Every operation answers 200, POST too. */
export function ok(message: string): Envelope;
export function ok<T>(message: string, data: T): Envelope<T>;
export function ok<T>(message: string, data?: T): Envelope<T> {
  return { statusCode: HttpStatus.OK, message, ...(data !== undefined && { data }) };
}
