import type { Hex } from '@paymaster/domain';

const ERROR_SELECTOR = '0x08c379a0';
const PANIC_SELECTOR = '0x4e487b71';
const MAX_REASON_LENGTH = 300;
const SELECTOR_DIGITS = 10;
const WORD_DIGITS = 64;

/** What Solidity's compiler means by its panics. */
const PANICS: Readonly<Record<string, string>> = {
  '0x1': 'an assertion fails',
  '0x11': 'arithmetic overflow',
  '0x12': 'division by zero',
  '0x21': 'a value that its enum does not have',
  '0x22': 'storage bytes that are encoded wrongly',
  '0x31': 'pop of an empty array',
  '0x32': 'an index out of bounds',
  '0x41': 'too much memory',
  '0x51': 'a function that was not set',
};

/** Control characters, characters that turn text around or hide it, and line ends. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Solidity's `Error(string)` and `Panic(uint256)` in words; other revert data as hex. Up to 300 visible characters, and
 * none that HTML takes for a tag: strangers' contracts wrote the text.
 */
export function revertReason(data: Hex): string {
  if (data === '0x') return 'no reason given';
  const content = data.slice(SELECTOR_DIGITS);
  if (data.startsWith(ERROR_SELECTOR)) return presentable(stringOf(content) ?? data);
  const code = data.startsWith(PANIC_SELECTOR) && content.length === WORD_DIGITS && BigInt(`0x${content}`);
  if (code === false) return presentable(data);
  const panic = `0x${code.toString(16)}`;
  return presentable(PANICS[panic] ? `panic ${panic}: ${PANICS[panic]}` : `panic ${panic}`);
}

/** An ABI string, as far as its bytes are there; undefined when these bytes are no ABI string. */
function stringOf(content: string): string | undefined {
  const [offset, length] = [content.slice(0, WORD_DIGITS), content.slice(WORD_DIGITS, 2 * WORD_DIGITS)];
  if (length.length < WORD_DIGITS || BigInt(`0x${offset}`) !== 32n) return undefined;
  const bytes = Buffer.from(content.slice(2 * WORD_DIGITS), 'hex');
  const told = BigInt(`0x${length}`);
  return bytes.subarray(0, told < BigInt(bytes.length) ? Number(told) : bytes.length).toString('utf8');
}

function presentable(text: string): string {
  const visible = text.replace(INVISIBLE, '\ufffd').replaceAll('<', '‹').replaceAll('>', '›');
  const characters = [...visible];
  return characters.length > MAX_REASON_LENGTH ? `${characters.slice(0, MAX_REASON_LENGTH).join('')}…` : visible;
}
