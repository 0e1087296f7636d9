import { isAddress, isHexBytes, METHOD_PATTERN } from '@paymaster/domain';
import { AbiSignatureError, parseMethodSignature, type MethodSignature } from '@paymaster/policy';

type MethodArgument = MethodSignature['arguments'][number];

const NUMBER_TYPE = /^(u?)int([0-9]+)$/;
const BYTES_TYPE = /^bytes([0-9]+)$/;
const ORDER_OPERATORS: ReadonlySet<string> = new Set(['LT', 'LTE', 'GT', 'GTE']);

/**
 * The arguments of a method, as the engine reads them.
 *
 * @param method a full signature in the canonical form that selectors are made of, `mint(address,uint256)`
 * @returns undefined when it is not in that form
 */
export function argumentsOf(method: string): readonly MethodArgument[] | undefined {
  if (!METHOD_PATTERN.test(method)) return undefined;
  try {
    return parseMethodSignature(method).arguments;
  } catch (error) {
    if (error instanceof AbiSignatureError) return undefined;
    throw error;
  }
}

/** Whether values of the type have the operator: only numbers are less or greater. */
export function hasOperator(type: string, operator: string): boolean {
  return NUMBER_TYPE.test(type) || !ORDER_OPERATORS.has(operator);
}

/**
 * A value of a type in its one form: decimal digits, hex in lower case, `true` or `false`.
 *
 * @param value text, or a whole number or boolean of JSON
 * @returns undefined for what is not a value of the type
 */
export function argumentValueOf(type: string, value: unknown): string | undefined {
  if (type === 'bool')
    return value === true || value === false || value === 'true' || value === 'false' ? String(value) : undefined;
  const [, unsigned, bits] = NUMBER_TYPE.exec(type) ?? [];
  if (bits !== undefined) return numberOf(value, { signed: unsigned === '', bits: Number(bits) });
  if (typeof value !== 'string') return undefined;
  if (type === 'address') return isAddress(value) ? value.toLowerCase() : undefined;
  const size = Number(BYTES_TYPE.exec(type)?.[1]);
  return isHexBytes(value) && value.length === 2 + 2 * size ? value.toLowerCase() : undefined;
}

function numberOf(value: unknown, { signed, bits }: { signed: boolean; bits: number }): string | undefined {
  const isText = typeof value === 'string' && /^(-?[0-9]{1,78}|0x[0-9a-fA-F]{1,64})$/.test(value);
  if (!isText && !Number.isSafeInteger(value)) return undefined;
  const number = BigInt(value as string | number);
  const end = 2n ** BigInt(signed ? bits - 1 : bits);
  return number < end && number >= (signed ? -end : 0n) ? number.toString() : undefined;
}
