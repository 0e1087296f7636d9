import type { ContractError, Hex } from '@paymaster/domain';
import { ErrorFragment, Interface, Result, type ParamType } from 'ethers';
import { failedCallOf } from './failed-call';
import { presentable } from './presentable';

/** A custom error as a contract raised it. */
export interface RaisedError {
  readonly name: string;
  readonly args: readonly RaisedArgument[];
}

export interface RaisedArgument {
  /** Empty where the ABI gives it no name. */
  readonly name: string;
  readonly type: string;
  /** To show: numbers in decimal digits, bytes in hex, lists and tuples in brackets; up to 300 characters. */
  readonly value: string;
}

/** As much as the simulations return. */
const MAX_DATA_LENGTH = 2 + 2 * 1_024;
/**
 * Types by which a little data becomes many values: lists nested three levels deep, or long lists of a fixed length.
 * They are refused, because a stranger's contract writes the data, and a paymaster's owner, who may be a stranger too,
 * the type.
 */
const LARGE_TYPE = /\[\d{2,}\]|(?:\[.*){3}/;
const NAMES = / [A-Za-z_$][A-Za-z0-9_$]*/g;

/**
 * Reads revert data as one of these errors, also when the account has wrapped it to say which call of a batch failed.
 *
 * @returns undefined if the data is none of these errors, or cannot be read
 */
export function raisedError(data: Hex, errors: readonly ContractError[]): RaisedError | undefined {
  if (data.length > MAX_DATA_LENGTH) return undefined;
  const raised = failedCallOf(data)?.data ?? data;
  const found = errors.find(({ selector }) => raised.startsWith(selector));
  if (!found || LARGE_TYPE.test(found.signature)) return undefined;
  // ethers takes no name of an argument that is a word of Solidity.
  return decoded(raised, found.signature) ?? decoded(raised, found.signature.replace(NAMES, ''));
}

function decoded(data: Hex, signature: string): RaisedError | undefined {
  try {
    const fragment = ErrorFragment.from(`error ${signature}`);
    const args = new Interface([fragment]).decodeErrorResult(fragment, data);
    // Reading a value throws where it is no such value, for example a text that is no UTF-8.
    return { name: fragment.name, args: fragment.inputs.map((input, at) => argumentOf(input, args[at])) };
  } catch {
    return undefined;
  }
}

function argumentOf({ name, type }: ParamType, value: unknown): RaisedArgument {
  return { name, type, value: presentable(textOf(value)) };
}

function textOf(value: unknown): string {
  return value instanceof Result ? `[${value.toArray().map(textOf).join(', ')}]` : String(value);
}
