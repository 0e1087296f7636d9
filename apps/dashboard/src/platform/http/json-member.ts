const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const WHITE: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Bytes of a JSON text, from `start` to before `end`. */
export interface JsonSlice {
  readonly start: number;
  readonly end: number;
}

/**
 * Where the value of a member of the outermost object is. It reads the bytes once and parses nothing, so a text that is
 * not JSON may have a slice too, and a key that is written with escapes is not found.
 */
export function memberIn(json: Buffer, name: string): JsonSlice | undefined {
  const key = Buffer.from(JSON.stringify(name));
  if (json[skipWhite(json, 0)] !== OPEN_OBJECT || !json.includes(key)) return undefined;
  let level = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) {
      const end = endOfString(json, at);
      const colon = skipWhite(json, end);
      if (level === 1 && json[colon] === COLON && json.subarray(at, end).equals(key)) {
        const start = skipWhite(json, colon + 1);
        return { start, end: endOfValue(json, start) };
      }
      at = end - 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) level++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) level--;
  }
  return undefined;
}

/** The same text, in which the value of a member that is an object or a list is a string: its own JSON text. */
export function withMemberAsText(json: Buffer, name: string): Buffer {
  const slice = memberIn(json, name);
  if (!slice || (json[slice.start] !== OPEN_OBJECT && json[slice.start] !== OPEN_LIST)) return json;
  const text = JSON.stringify(json.toString('utf8', slice.start, slice.end));
  return Buffer.concat([json.subarray(0, slice.start), Buffer.from(text), json.subarray(slice.end)]);
}

function skipWhite(json: Buffer, from: number): number {
  let at = from;
  while (WHITE.has(json[at])) at++;
  return at;
}

/** Behind the closing quote. */
function endOfString(json: Buffer, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return Math.min(at + 1, json.length);
}

function endOfValue(json: Buffer, start: number): number {
  if (json[start] === QUOTE) return endOfString(json, start);
  let level = 0;
  for (let at = start; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at) - 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) level++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (level === 0) return at;
      if (--level === 0) return at + 1;
    } else if (byte === COMMA && level === 0) return at;
  }
  return json.length;
}
