import { isUtf8 } from 'node:buffer';
import { passedBound, type JsonBounds } from '@paymaster/nest-kit';
import { InvalidRequestError, ParseError } from '../../platform/errors/rpc-errors';

/** The deepest nesting of objects and arrays; the outermost counts as one level. */
export const MAX_NESTING = 32;
/**
 * These bounds are above what 20 operations with their `webhookData` contain. Processing 256 KiB of small objects takes
 * a hundred times as long as processing call data, and all other requests wait meanwhile.
 */
export const BOUNDS: JsonBounds = {
  levels: MAX_NESTING,
  keys: 1_000,
  items: 6_000,
  names: 2_000,
  objects: 5_000,
  values: 10_000,
};
/** A shorter body cannot exceed any bound except the levels, because a key with its value takes five bytes. */
const MOST_KEPT_BYTES = 5_000;

const WORDS = {
  keys: 'keys',
  items: 'items',
  names: 'different keys',
  objects: 'objects and arrays',
  values: 'values',
} as const;

/** A body, parsed once. So validation and handling see the same value, also of a key that the body repeats. */
export interface ParsedBody {
  readonly value: unknown;
  /** The text it came from; ids beyond 2^53 are read from it. */
  readonly text: string;
}

/**
 * JSON from the bytes of a body. A byte order mark is no JSON (RFC 8259) and is not skipped.
 *
 * @throws {ParseError} when it is not JSON in UTF-8
 * @throws {InvalidRequestError} when it holds more than {@link BOUNDS} or tries to set a prototype
 */
export function parseBody(body: Uint8Array): ParsedBody {
  if (body.length > MOST_KEPT_BYTES) refuseBeyondBounds(body);
  if (!isUtf8(body)) throw new ParseError('The body is not valid UTF-8.');
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ParseError(text.trim() === '' ? 'The body is empty.' : 'The body is not valid JSON.');
  }
  if (!isPlain(text)) checkShape(value, 1);
  return { value, text };
}

/** @throws {InvalidRequestError} before the body is parsed */
function refuseBeyondBounds(body: Uint8Array): void {
  const passed = passedBound(body, BOUNDS);
  if (!passed) return;
  if (passed.of === 'levels') throw tooDeep();
  const place = passed.path === '' ? 'The body' : passed.path;
  throw new InvalidRequestError(`${place} has more than ${passed.most} ${WORDS[passed.of]}.`);
}

function tooDeep(): InvalidRequestError {
  return new InvalidRequestError(`The body is nested deeper than ${MAX_NESTING} levels.`);
}

/** A quick check whether the text cannot contain what {@link checkShape} looks for. */
function isPlain(text: string): boolean {
  // With a backslash, any key can be written in another form.
  if (text.includes('\\') || text.includes('__proto__')) return false;
  return openings('{', text) + openings('[', text) <= MAX_NESTING;
}

/** Counts brackets, also inside of strings, and stops one above {@link MAX_NESTING}. */
function openings(bracket: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(bracket); at !== -1 && count <= MAX_NESTING; at = text.indexOf(bracket, at + 1)) count++;
  return count;
}

function checkShape(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_NESTING) throw tooDeep();
  if (Array.isArray(value)) {
    for (const item of value) checkShape(item, depth + 1);
    return;
  }
  for (const key in value) {
    if (key === '__proto__') throw new InvalidRequestError('The key "__proto__" is not allowed.');
    checkShape((value as Record<string, unknown>)[key], depth + 1);
  }
}
