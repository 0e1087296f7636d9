import { randomUUID } from 'node:crypto';

/** A result that is already JSON text; the answer contains it unchanged. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** Random per process, so that no string of a client or an owner can be taken for a number. */
const MARK = `bigint ${randomUUID()} `;
const MARKED = new RegExp(`"${MARK}(-?[0-9]+)"`, 'g');

/** Marks a bigint, which {@link jsonText} writes as an integer with all its digits. */
export function integerLiteral(value: bigint): string {
  return `${MARK}${value}`;
}

/**
 * JSON text with the integers of {@link integerLiteral}: `JSON.stringify` writes no bigint, and a number loses digits
 * above 2^53. The code that makes the value has to mark them, because checking every member of a value would take
 * longer than writing it.
 *
 * @throws {TypeError} where a bigint was not marked
 */
export function jsonText(value: object): JsonText {
  return new JsonText(JSON.stringify(value).replace(MARKED, '$1'));
}
