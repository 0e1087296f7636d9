import { parseAbi, toFunctionSignature, type Abi, type AbiFunction } from 'viem';

/** A method that changes state, as it can be picked for a whitelist. */
export interface WriteMethod {
  readonly name: string;
  /** `mint(address,uint256)` */
  readonly signature: string;
  /** With the names of its arguments: `mint(address to, uint256 amount)`. */
  readonly described: string;
  readonly isPayable: boolean;
  /** Another method has the same name. */
  readonly isOverloaded: boolean;
}

/** The text is no ABI; the message says what is wrong with it. */
export class NoAbiError extends Error {
  override readonly name = 'NoAbiError';
}

/**
 * Reads what people paste: an ABI as JSON, the artifact of a compiler that holds one, or lines such as
 * `function mint(address to, uint256 amount)`.
 *
 * @throws {NoAbiError}
 */
export function readAbi(text: string): Abi {
  const plain = text.trim();
  if (plain === '') throw new NoAbiError('Paste the ABI of the contract.');
  const abi = plain.startsWith('[') || plain.startsWith('{') ? fromJson(plain) : fromLines(plain);
  if (methodsOf(abi).length === 0) {
    throw new NoAbiError('This ABI has no method that changes state, so there is nothing to sponsor.');
  }
  return abi;
}

/** The methods of an ABI that change state, in its order. */
export function methodsOf(abi: Abi): readonly WriteMethod[] {
  const functions = abi.filter(
    (item): item is AbiFunction =>
      item.type === 'function' && item.stateMutability !== 'view' && item.stateMutability !== 'pure',
  );
  return functions.map((item) => ({
    name: item.name,
    signature: toFunctionSignature(item),
    described: `${item.name}(${item.inputs.map((input) => [input.type, input.name].filter(Boolean).join(' ')).join(', ')})`,
    isPayable: item.stateMutability === 'payable',
    isOverloaded: functions.filter(({ name }) => name === item.name).length > 1,
  }));
}

function fromJson(text: string): Abi {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new NoAbiError(`This is not valid JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.`);
  }
  const abi = Array.isArray(json) ? json : abiInFile(json as { abi?: unknown; result?: unknown });
  if (!Array.isArray(abi)) {
    throw new NoAbiError('This JSON is neither an ABI nor an artifact or an answer of Etherscan with one.');
  }
  if (!abi.every(isItem)) throw new NoAbiError('An item of this ABI has no type, or a function has no name or inputs.');
  return abi as Abi;
}

/** The artifact of a compiler has the ABI in `abi`, an answer of Etherscan as text in `result`. */
function abiInFile({ abi, result }: { readonly abi?: unknown; readonly result?: unknown }): unknown {
  const found = abi ?? result;
  try {
    return typeof found === 'string' ? JSON.parse(found) : found;
  } catch {
    return undefined;
  }
}

function fromLines(text: string): Abi {
  const lines = text
    .split(/[\n;]/)
    .map((line) => line.trim())
    .filter(Boolean);
  try {
    return parseAbi(lines as unknown as readonly ['function f()']) as Abi;
  } catch {
    throw new NoAbiError('This is neither JSON nor lines such as `function mint(address to, uint256 amount)`.');
  }
}

function isItem(item: unknown): boolean {
  const { type, name, inputs } = (item ?? {}) as { type?: unknown; name?: unknown; inputs?: unknown };
  if (typeof type !== 'string') return false;
  return type !== 'function' || (typeof name === 'string' && Array.isArray(inputs) && inputs.every(isInput));
}

function isInput(input: unknown): boolean {
  return typeof (input as { type?: unknown } | null)?.type === 'string';
}
