const HASH_BITS = 13;
/** How far back the algorithm looks for a match; bytes. */
const MAX_DISTANCE = 0x1fff;
/** A longer run of literals, or a longer match, takes a further instruction; bytes. */
const MAX_LITERALS = 32;
const MAX_MATCH = 262;
const LONG_MATCH = 7;

/** The last place of three bytes with that hash. One table for all calls, because the function below is synchronous. */
const seenAt = new Uint32Array(1 << HASH_BITS);

/**
 * The length of data after FastLZ compression; bytes. OP stack chains estimate with it what a transaction takes on L1.
 * So it must equal `LibZip.flzCompress` (Solady) byte for byte, as the nodes of these chains do.
 */
export function fastLzLength(data: Uint8Array): number {
  seenAt.fill(0);
  const limit = data.length - 13;
  let length = 0;
  let literalsFrom = 0;
  let at = 2;
  while (at < limit) {
    const bytes = threeBytes(data, at);
    const hash = hashOf(bytes);
    const match = seenAt[hash]!;
    seenAt[hash] = at;
    if (at - match > MAX_DISTANCE || bytes !== threeBytes(data, match)) {
      at += 1;
      continue;
    }
    // FastLZ checks for the end before it takes a match.
    if (at + 1 >= limit) break;
    if (at > literalsFrom) length += literalsLength(at - literalsFrom);
    const matched = matchLength(data, match + 3, at + 3, limit + 9);
    length += instructionsLength(matched);
    at += matched;
    see(data, at++);
    see(data, at++);
    literalsFrom = at;
  }
  return length + literalsLength(data.length - literalsFrom);
}

function threeBytes(data: Uint8Array, at: number): number {
  return data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16);
}

function hashOf(bytes: number): number {
  return (Math.imul(bytes, 2_654_435_769) >>> (32 - HASH_BITS)) & MAX_DISTANCE;
}

function see(data: Uint8Array, at: number): void {
  seenAt[hashOf(threeBytes(data, at))] = at;
}

/** Like FastLZ, this counts the byte that ends the match, and not the first two bytes of the match. */
function matchLength(data: Uint8Array, earlier: number, later: number, end: number): number {
  let length = 0;
  while (later + length < end) if (data[earlier + length] !== data[later + length++]) break;
  return length;
}

function literalsLength(count: number): number {
  return count + Math.ceil(count / MAX_LITERALS);
}

function instructionsLength(match: number): number {
  let length = 0;
  let left = match;
  for (; left > MAX_MATCH; left -= MAX_MATCH) length += 3;
  return length + (left >= LONG_MATCH ? 3 : 2);
}
