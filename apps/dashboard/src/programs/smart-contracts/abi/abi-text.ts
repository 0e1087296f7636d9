import { memberIn } from '../../../platform/http/json-member';
import { AbiError } from './abi-error';

const IS_OBJECT = /^\s*\{/;
const HALF_SURROGATE = /\p{Cs}/u;
const IS_LIST = /^\s*\[/;
/** Characters of what a file says instead of an ABI that an error repeats. */
const MAX_QUOTED = 100;

/**
 * The text of the ABI in what an owner sent: a list is the ABI, and stays as it was sent; in a file it is the member
 * `abi` (Hardhat, Foundry) or `result` (Etherscan).
 *
 * @throws {AbiError} when a file has no ABI
 */
export function abiTextIn(sent: string): string {
  if (!IS_OBJECT.test(sent)) return sent;
  const json = Buffer.from(sent, 'utf8');
  const slice = memberIn(json, 'abi') ?? memberIn(json, 'result');
  if (!slice) {
    throw new AbiError(
      'abi must be a JSON array, or a file of Hardhat, Foundry or Etherscan with one in abi or result',
    );
  }
  const value = json.toString('utf8', slice.start, slice.end);
  const text = value.startsWith('"') ? unquoted(value) : value;
  if (IS_LIST.test(text)) return text;
  throw new AbiError(`abi: the file has no ABI, but ${JSON.stringify(text.slice(0, MAX_QUOTED))}`);
}

function unquoted(value: string): string {
  let text: string;
  try {
    text = JSON.parse(value) as string;
  } catch {
    throw new AbiError('abi must be JSON');
  }
  if (!HALF_SURROGATE.test(text)) return text;
  throw new AbiError('abi must be well-formed text');
}
