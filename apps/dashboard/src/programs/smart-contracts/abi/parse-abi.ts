import { passedBound } from '@paymaster/nest-kit';
import { sentenceOf } from '../../../platform/http/json-body';
import { AbiError } from './abi-error';
import { canonicalType } from './canonical-type';

/** A state-changing or reading function of an ABI. */
export interface AbiFunction {
  readonly name: string;
  /** `transfer(address,uint256)`: what the selector is the hash of. */
  readonly signature: string;
  /** False for `view` and `pure`. */
  readonly changesState: boolean;
}

export interface AbiLimits {
  readonly maxAbiBytes: number;
  readonly maxAbiItems: number;
}

const MAX_INPUTS = 64;
/** More than any compiler writes; what is made of a text with more of them takes ten times as long. */
const BOUNDS = { levels: 32, keys: 100, names: 64 };
/** A parameter, the densest of what an ABI holds, is an object of two texts in at least 26 bytes. */
const [BYTES_PER_OBJECT, BYTES_PER_VALUE] = [26, 8];
const OTHER_ITEMS = new Set(['constructor', 'event', 'error', 'fallback', 'receive']);
const MUTABILITIES: ReadonlyMap<unknown, boolean> = new Map([
  ['nonpayable', true],
  ['payable', true],
  ['view', false],
  ['pure', false],
]);
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]{0,255}$/;

/**
 * The items of an ABI text, in its order. Bounded, because the text comes from anybody.
 *
 * @throws {AbiError} when it is no list, or holds too much
 */
export function parseAbi(text: string, { maxAbiBytes, maxAbiItems }: AbiLimits): unknown[] {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > maxAbiBytes) throw new AbiError(`abi must not be larger than ${maxAbiBytes} bytes`);
  const passed = passedBound(bytes, {
    ...BOUNDS,
    items: Math.max(maxAbiItems, MAX_INPUTS),
    objects: Math.floor(maxAbiBytes / BYTES_PER_OBJECT),
    values: Math.floor(maxAbiBytes / BYTES_PER_VALUE),
  });
  if (passed) throw new AbiError(sentenceOf(passed, 'abi'));
  const items = parseItems(text);
  if (items.length > maxAbiItems) throw new AbiError(`abi must not have more than ${maxAbiItems} items`);
  return items;
}

function parseItems(text: string): unknown[] {
  let items: unknown;
  try {
    items = JSON.parse(text);
  } catch {
    throw new AbiError('abi must be JSON');
  }
  if (!Array.isArray(items)) throw new AbiError('abi must be a JSON array');
  return items;
}

/**
 * The function that an item is; none where it is something else.
 *
 * @param where the item's place in the ABI, for the error
 * @throws {AbiError} saying where and what
 */
export function functionsOf(item: unknown, where: string): AbiFunction[] {
  if (typeof item !== 'object' || item === null) throw new AbiError(`abi: ${where} is not an object`);
  // The ABI specification lets `type` be left out for functions.
  const { type = 'function', name, inputs = [] } = item as { type?: unknown; name?: unknown; inputs?: unknown };
  if (typeof type === 'string' && OTHER_ITEMS.has(type)) return [];
  if (type !== 'function') throw new AbiError(`abi: ${where} has an unknown type`);
  if (typeof name !== 'string' || !IDENTIFIER.test(name)) throw new AbiError(`abi: ${where} has no valid name`);
  if (!Array.isArray(inputs) || inputs.length > MAX_INPUTS) {
    throw new AbiError(`abi: the inputs of ${where} must be an array of at most ${MAX_INPUTS}`);
  }
  const types = inputs.map((input, index) => canonicalType(input, `${where}.inputs[${index}]`));
  return [{ name, signature: `${name}(${types.join(',')})`, changesState: changesState(item, where) }];
}

/** `stateMutability`, or what compilers before Solidity 0.5 wrote in its place. */
function changesState(item: object, where: string): boolean {
  const { stateMutability, constant } = item as { stateMutability?: unknown; constant?: unknown };
  if (stateMutability === undefined) return constant !== true;
  const changes = MUTABILITIES.get(stateMutability);
  if (changes === undefined) throw new AbiError(`abi: ${where} has an unknown stateMutability`);
  return changes;
}
