import { decodeAbiParameters, isHex, slice, toFunctionSelector, type Abi } from 'viem';
import type { Schemas } from '../api/queries';
import { readMethods } from './picked-methods';
import { methodsOf, type WriteMethod } from './read-abi';

const SELECTOR_BYTES = 4;

/** A call, with its data where they are known. */
export type ReadCall = Schemas['TargetView'] & { readonly data?: string };

export interface NamedArgument {
  /** Of the ABI, or where it stands: `argument 2`. */
  readonly name: string;
  readonly value: string;
}

export interface NamedCall {
  /** Of the contract's record; undefined where it is not registered. */
  readonly contract: string | undefined;
  readonly method: WriteMethod | undefined;
  /** Undefined where the data are not known, or are not those of the method. */
  readonly args: readonly NamedArgument[] | undefined;
}

/** The names of a call's contract, method and arguments, where the contract is registered with its ABI. */
export function nameCall(
  { to, selector, data }: ReadCall,
  contracts: readonly Schemas['SmartContractView'][],
): NamedCall {
  const contract = contracts.find(({ address }) => address === to.toLowerCase());
  const method = contract && selector ? bySelector(contract).get(selector) : undefined;
  const abi = method && data ? readAbi(contract?.abi ?? '') : undefined;
  return { contract: contract?.name, method, args: abi && data ? argumentsOf(abi, data) : undefined };
}

const methodsBySelector = new WeakMap<Schemas['SmartContractView'], ReadonlyMap<string, WriteMethod>>();

/** Kept for each record of a contract: each row of a list asks for one, and hashing the signatures takes long. */
function bySelector(contract: Schemas['SmartContractView']): ReadonlyMap<string, WriteMethod> {
  const known = methodsBySelector.get(contract);
  if (known) return known;
  const methods = new Map(readMethods(contract.abi).map((each) => [toFunctionSelector(each.signature), each] as const));
  methodsBySelector.set(contract, methods);
  return methods;
}

function readAbi(text: string): Abi | undefined {
  try {
    const abi = JSON.parse(text) as Abi;
    methodsOf(abi);
    return abi;
  } catch {
    return undefined;
  }
}

function argumentsOf(abi: Abi, data: string): readonly NamedArgument[] | undefined {
  // By its selector: overloads of one name can have as many arguments.
  const method = abi.find((item) => item.type === 'function' && toFunctionSelector(item) === data.slice(0, 10));
  if (!isHex(data) || method?.type !== 'function') return undefined;
  try {
    const args = decodeAbiParameters(method.inputs, slice(data, SELECTOR_BYTES));
    return args.map((value, index) => ({
      name: method.inputs[index]?.name || `argument ${index + 1}`,
      value: textOf(value),
    }));
  } catch {
    return undefined;
  }
}

/** Numbers in all their digits; parts of lists and structs in brackets. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([name, each]) => `${name}: ${textOf(each)}`)
      .join(', ')}}`;
  }
  return String(value);
}
