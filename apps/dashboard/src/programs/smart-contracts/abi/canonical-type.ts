import { AbiError } from './abi-error';

export const MAX_DEPTH = 8;
const MAX_COMPONENTS = 64;
const MAX_ARRAY_SUFFIXES = 8;
/** Longer than any type name: a base, and eight array suffixes of up to ten digits. */
const MAX_TYPE_LENGTH = 128;

const TYPE = /^(tuple|[a-z]+[0-9]*)((?:\[(?:[1-9][0-9]{0,9})?\])*)$/;
const PLAIN_TYPES = new Set(['address', 'bool', 'string', 'bytes', 'function']);
/** Short forms of types, which are not in signatures. */
export const ALIASES: Readonly<Record<string, string>> = { uint: 'uint256', int: 'int256' };

/**
 * The canonical type of an ABI parameter, as it stands in a signature: `(address,uint256)[]`.
 * Walks hostile input: every step is bounded in depth, breadth and length.
 *
 * @param where the parameter's place in the ABI, for the error
 * @throws {AbiError} saying where and what
 */
export function canonicalType(parameter: unknown, where: string, depth = 1): string {
  if (depth > MAX_DEPTH) throw new AbiError(`abi: ${where} is nested deeper than ${MAX_DEPTH} levels`);
  if (typeof parameter !== 'object' || parameter === null) throw new AbiError(`abi: ${where} is not an object`);
  const { type, components } = parameter as { type?: unknown; components?: unknown };
  if (typeof type !== 'string' || type.length > MAX_TYPE_LENGTH) throw new AbiError(`abi: ${where} has no valid type`);
  const [, base = '', suffixes = ''] = TYPE.exec(type) ?? [];
  if (suffixes.split('[').length - 1 > MAX_ARRAY_SUFFIXES) {
    throw new AbiError(`abi: ${where} has more than ${MAX_ARRAY_SUFFIXES} array dimensions`);
  }
  if (base === 'tuple') return `(${canonicalTypes(components, where, depth)})${suffixes}`;
  const canonical = ALIASES[base] ?? base;
  if (!isElementary(canonical)) throw new AbiError(`abi: ${where} has the unknown type ${JSON.stringify(type)}`);
  return canonical + suffixes;
}

function canonicalTypes(components: unknown, where: string, depth: number): string {
  if (!Array.isArray(components) || components.length === 0)
    throw new AbiError(`abi: ${where} is a tuple without components`);
  if (components.length > MAX_COMPONENTS) {
    throw new AbiError(`abi: ${where} is a tuple of more than ${MAX_COMPONENTS} components`);
  }
  return components
    .map((component, index) => canonicalType(component, `${where}.components[${index}]`, depth + 1))
    .join(',');
}

function isElementary(type: string): boolean {
  if (PLAIN_TYPES.has(type)) return true;
  const [, name, digits = ''] = /^(u?int|bytes)([1-9][0-9]{0,2})$/.exec(type) ?? [];
  const size = Number(digits);
  return name === 'bytes' ? size <= 32 : name !== undefined && size <= 256 && size % 8 === 0;
}
