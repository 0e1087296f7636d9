import { MAX_ERROR_SIGNATURE_LENGTH, type ContractError } from '@paymaster/domain';
import { AbiError } from './abi-error';
import { canonicalType } from './canonical-type';
import type { SelectorOf } from './selector';

/** The gateway is told of so many of one contract. */
export const MAX_CONTRACT_ERRORS = 100;

const MAX_ARGUMENTS = 16;
const NAME = /^[A-Za-z_$][A-Za-z0-9_$]{0,63}$/;

/**
 * The custom errors among the items of an ABI, at most {@link MAX_CONTRACT_ERRORS}. They only explain, so an item that
 * is no usable error is left out and refuses nothing.
 */
export function contractErrorsOf(items: readonly object[], selectorOf: SelectorOf): ContractError[] {
  const errors = new Map<string, ContractError>();
  for (const item of items) {
    const error = errorOf(item, selectorOf);
    if (error) errors.set(error.signature, error);
    if (errors.size === MAX_CONTRACT_ERRORS) break;
  }
  return [...errors.values()];
}

function errorOf(item: object, selectorOf: SelectorOf): ContractError | undefined {
  const { type, name, inputs = [] } = item as { type?: unknown; name?: unknown; inputs?: unknown };
  if (type !== 'error' || typeof name !== 'string' || !NAME.test(name)) return undefined;
  if (!Array.isArray(inputs) || inputs.length > MAX_ARGUMENTS) return undefined;
  try {
    const types = inputs.map((input) => canonicalType(input, name));
    const signature = `${name}(${types.map((each, at) => named(each, inputs[at])).join(',')})`;
    if (signature.length > MAX_ERROR_SIGNATURE_LENGTH) return undefined;
    return { selector: selectorOf(`${name}(${types.join(',')})`), signature };
  } catch (error) {
    if (error instanceof AbiError) return undefined;
    throw error;
  }
}

function named(type: string, input: unknown): string {
  const { name } = input as { name?: unknown };
  return typeof name === 'string' && NAME.test(name) ? `${type} ${name}` : type;
}
