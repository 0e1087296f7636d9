import { byteLength, type Address, type Hex } from '@paymaster/domain';

const WORD_BYTES = 32;
/** A symbol of 32 characters of 4 bytes, its offset and length, and some padding. */
const MAX_SYMBOL_ANSWER_BYTES = 512;

/** A contract does not answer like a token. The contract itself is at fault, so no other node is asked. */
export class TokenAnswerError extends Error {
  constructor(
    readonly token: Address,
    what: string,
    options?: ErrorOptions,
  ) {
    super(`${what} of ${token} is missing or malformed`, options);
    this.name = 'TokenAnswerError';
  }
}

/** One word as an unsigned integer; undefined for anything but exactly one word. */
export function decodeUint(returned: Hex): bigint | undefined {
  return byteLength(returned) === WORD_BYTES ? BigInt(returned) : undefined;
}

/**
 * The answer of `symbol()`: an ABI string, or the bytes32 of early tokens. Undefined unless it is
 * {@link isPresentableSymbol presentable}.
 */
export function decodeSymbol(returned: Hex): string | undefined {
  const bytes = Buffer.from(returned.slice(2), 'hex');
  const text = bytes.length === WORD_BYTES ? bytes32Text(bytes) : stringText(bytes);
  const symbol = text && decodeUtf8(text);
  return symbol && isPresentableSymbol(symbol) ? symbol : undefined;
}

/** Letters, digits, punctuation and symbols of any script, a blank only between them. */
const PRINTABLE = /^(?! )[\p{L}\p{N}\p{P}\p{S} ]{1,32}(?<! )$/u;
/** Characters that HTML gives a meaning. */
const MARKUP = /[<>&"'`]/;
/** Scripts from right to left: Hebrew to the Arabic extensions, their presentation forms, ancient and modern others. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * Whether a symbol may be shown beside an amount: 1 to 32 visible characters that do not change the direction of the
 * text around them, and contain no HTML.
 */
export function isPresentableSymbol(symbol: string): boolean {
  return PRINTABLE.test(symbol) && !MARKUP.test(symbol) && !RIGHT_TO_LEFT.test(symbol);
}

function bytes32Text(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0);
  const text = end === -1 ? bytes : bytes.subarray(0, end);
  // The text ends at the first zero byte; all bytes after it must be zero too.
  return bytes.subarray(text.length).every((byte) => byte === 0) ? text : Buffer.alloc(0);
}

function stringText(bytes: Buffer): Buffer | undefined {
  if (bytes.length < 2 * WORD_BYTES || bytes.length > MAX_SYMBOL_ANSWER_BYTES) return undefined;
  const offset = smallUint(bytes, 0);
  const length = offset === WORD_BYTES ? smallUint(bytes, offset) : undefined;
  if (length === undefined || 2 * WORD_BYTES + length > bytes.length) return undefined;
  return bytes.subarray(2 * WORD_BYTES, 2 * WORD_BYTES + length);
}

/** A word below 2^32; undefined for a larger one. */
function smallUint(bytes: Buffer, offset: number): number | undefined {
  const head = bytes.subarray(offset, offset + WORD_BYTES - 4);
  return head.every((byte) => byte === 0) ? bytes.readUInt32BE(offset + WORD_BYTES - 4) : undefined;
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
