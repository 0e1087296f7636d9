import { randomUUID } from 'node:crypto';

/** A result that is JSON text already and is answered as it stands. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** Of this process alone, so that no string of a client or an owner is taken for a number. */
const MARK = `bigint ${randomUUID()} `;
const MARKED = new RegExp(`"${MARK}(-?[0-9]+)"`, 'g');

/** What {@link jsonText} writes as an integer with all its digits. */
export function integerLiteral(value: bigint): string {
  return `${MARK}${value}`;
}

/**
 * JSON text with the integers of {@link integerLiteral}: `JSON.stringify` writes no bigint, and a number loses digits
 * above 2^53. They are marked by whoever makes the value, because a look at each member of it would take longer than
 * writing it.
 *
 * @throws {TypeError} where a bigint was not marked
 */
export function jsonText(value: object): JsonText {
  return new JsonText(JSON.stringify(value).replace(MARKED, '$1'));
}
