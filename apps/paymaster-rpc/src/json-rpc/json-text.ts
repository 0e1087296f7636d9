import { randomUUID } from 'node:crypto';

/** A result that is JSON text already and is answered as it stands. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** Of this process alone, so that no string of a client or an owner is taken for a number. */
const MARK = `bigint ${randomUUID()} `;
const MARKED = new RegExp(`"${MARK}(-?[0-9]+)"`, 'g');

/**
 * JSON text in which a bigint is an integer literal with all its digits: `JSON.stringify` has none, and a number
 * loses digits above 2^53. For the few results that need it; the others are quicker without.
 */
export function jsonText(value: object): JsonText {
  return new JsonText(JSON.stringify(value, markBigint).replace(MARKED, '$1'));
}

function markBigint(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${MARK}${value}` : value;
}
