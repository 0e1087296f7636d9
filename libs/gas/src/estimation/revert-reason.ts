import type { ContractError, Hex } from '@paymaster/domain';
import { failedCallOf } from './failed-call';
import { presentable } from './presentable';
import { raisedError } from './raised-error';

const ERROR_SELECTOR = '0x08c379a0';
const PANIC_SELECTOR = '0x4e487b71';
const SELECTOR_DIGITS = 10;
const WORD_DIGITS = 64;

/** Of revert data that is empty. */
export const NO_REASON = 'no reason given';

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

/**
 * Solidity's `Error(string)` and `Panic(uint256)` in words; known custom errors with name and arguments; other revert
 * data as hex. Up to 300 visible characters, and none that HTML takes for a tag: strangers' contracts wrote the text.
 *
 * @param errors custom errors that are known
 */
export function revertReason(data: Hex, errors: readonly ContractError[] = []): string {
  const failed = failedCallOf(data);
  if (!failed) return reasonOf(data, errors);
  return presentable(`call ${failed.index + 1n} of the batch: ${reasonOf(failed.data, errors)}`);
}

function reasonOf(data: Hex, errors: readonly ContractError[]): string {
  if (data === '0x') return NO_REASON;
  const content = data.slice(SELECTOR_DIGITS);
  if (data.startsWith(ERROR_SELECTOR)) return presentable(stringOf(content) ?? data);
  const code = data.startsWith(PANIC_SELECTOR) && content.length === WORD_DIGITS && BigInt(`0x${content}`);
  if (code === false) return presentable(customReason(data, errors) ?? data);
  const panic = `0x${code.toString(16)}`;
  return presentable(PANICS[panic] ? `panic ${panic}: ${PANICS[panic]}` : `panic ${panic}`);
}

function customReason(data: Hex, errors: readonly ContractError[]): string | undefined {
  const raised = raisedError(data, errors);
  if (!raised) return undefined;
  const args = raised.args.map(({ name, value }) => (name === '' ? value : `${name}: ${value}`));
  return `${raised.name}(${args.join(', ')})`;
}

/** An ABI string, as far as its bytes are there; undefined when these bytes are no ABI string. */
function stringOf(content: string): string | undefined {
  const [offset, length] = [content.slice(0, WORD_DIGITS), content.slice(WORD_DIGITS, 2 * WORD_DIGITS)];
  if (length.length < WORD_DIGITS || BigInt(`0x${offset}`) !== 32n) return undefined;
  const bytes = Buffer.from(content.slice(2 * WORD_DIGITS), 'hex');
  const told = BigInt(`0x${length}`);
  return bytes.subarray(0, told < BigInt(bytes.length) ? Number(told) : bytes.length).toString('utf8');
}
