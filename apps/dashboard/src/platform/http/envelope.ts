import { HttpStatus } from '@nestjs/common';

/** The body of every answer (interface, "Dashboard response envelope"). */
export interface Envelope<T = undefined> {
  readonly statusCode: number;
  readonly message: string;
  readonly data?: T;
  /** What the caller should know of what was done. Left out where there is nothing. */
  readonly warnings?: readonly string[];
}

/** What a controller returns in place of its data, where the answer has more than the data and the route's message. */
export class Answer<T = undefined> {
  constructor(readonly parts: Partial<Omit<Envelope<T>, 'statusCode'>>) {}
}

/** The envelope around what a controller returned. */
export function envelopeOf(message: string, returned: unknown): Envelope<unknown> {
  const parts = returned instanceof Answer ? returned.parts : returned === undefined ? {} : { data: returned };
  return { statusCode: HttpStatus.OK, message, ...parts };
}
