import { randomInt } from 'node:crypto';

/** Bounds on the content of a JSON text. */
export interface JsonBounds {
  /** The deepest nesting of objects and lists; the outermost counts as one level. */
  readonly levels: number;
  /** Keys of one object, counting repeated keys. */
  readonly keys: number;
  /** Items of one list. */
  readonly items: number;
  /** Different keys of all objects together. Each makes the JavaScript engine create another hidden class. */
  readonly names: number;
  /** Objects and lists of the whole text. */
  readonly objects: number;
  /** Values of the whole text, including objects and lists; an empty one counts as two. */
  readonly values: number;
}

/** The first bound that a text exceeds. */
export interface PassedBound {
  readonly of: keyof JsonBounds;
  readonly most: number;
  /** The object or list that is too large, such as `policies.3.senders`; empty when the whole text is. */
  readonly path: string;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
/** The place of a list in the stack of keys. */
const LIST = -1;
/** Keys of this form may be repeated in an error. */
const HARMLESS_KEY = /^[\w$-]{1,64}$/;
/** Random, so that a client can't choose different keys with the same hash. */
const HASH_SEED = randomInt(2 ** 32);

/**
 * Counts the content of a JSON text before it is parsed. Parsing a megabyte of small objects, and the work on them,
 * takes a thousand times as long as reading the bytes. The count takes about 1 ns per byte, and its memory grows only
 * with the depth of nesting. If the text is not JSON, it counts the part that the parser would reach.
 *
 * @returns the first bound that is exceeded; undefined when every bound is kept
 */
export function passedBound(
  json: Uint8Array,
  { levels, keys, items, names, objects, values }: JsonBounds,
): PassedBound | undefined {
  /** For each open object or list: the number of members so far, and the position of the last key. */
  const [counts, keyAt] = [[0], [LIST]];
  const seen = new Set<number>();
  let [level, opened, counted, quoteAt] = [0, 0, 1, 0];
  for (let at = 0; at < json.length; at++) {
    switch (json[at]!) {
      case QUOTE:
        quoteAt = at++;
        while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
        break;
      case COLON:
        keyAt[level] = quoteAt;
        seen.add(hashOfKey(json, quoteAt + 1));
        if (seen.size > names) return { of: 'names', most: names, path: '' };
        break;
      case COMMA: {
        const isList = keyAt[level] === LIST;
        if (++counts[level]! > (isList ? items : keys) && level > 0) {
          const path = pathOf(json, counts.slice(1, level), keyAt.slice(1, level));
          return isList ? { of: 'items', most: items, path } : { of: 'keys', most: keys, path };
        }
        if (++counted > values) return { of: 'values', most: values, path: '' };
        break;
      }
      case OPEN_OBJECT:
      case OPEN_LIST:
        if (++level > levels) return { of: 'levels', most: levels, path: '' };
        if (++opened > objects) return { of: 'objects', most: objects, path: '' };
        if (++counted > values) return { of: 'values', most: values, path: '' };
        counts[level] = 1;
        keyAt[level] = json[at] === OPEN_LIST ? LIST : at;
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        if (level > 0) level--;
        break;
    }
  }
  return undefined;
}

/** FNV-1a of the bytes up to the closing quote. */
function hashOfKey(json: Uint8Array, from: number): number {
  let hash = HASH_SEED;
  for (let at = from; at < json.length && json[at] !== QUOTE; at++) {
    hash = Math.imul(hash ^ json[at]!, 0x01000193);
    if (json[at] === BACKSLASH) hash = Math.imul(hash ^ json[++at]!, 0x01000193);
  }
  return hash;
}

function pathOf(json: Uint8Array, counts: readonly number[], keyAt: readonly number[]): string {
  return keyAt.map((at, level) => (at === LIST ? counts[level]! - 1 : keyOf(json, at + 1))).join('.');
}

/** The key that begins at that position; `?` if the key does not have the form of our keys. */
function keyOf(json: Uint8Array, from: number): string {
  const key = Buffer.from(json.subarray(from, json.indexOf(QUOTE, from))).toString('latin1');
  return HARMLESS_KEY.test(key) ? key : '?';
}
