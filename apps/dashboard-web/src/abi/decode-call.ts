import { toFunctionSelector, type Abi } from 'viem';
import type { Schemas } from '../api/queries';
import { methodsOf, type WriteMethod } from './read-abi';

export interface NamedCall {
  /** Of the contract's record; undefined where it is not registered. */
  readonly contract: string | undefined;
  readonly method: WriteMethod | undefined;
}

/** The names of a call's contract and method, where the contract is registered with its ABI. */
export function nameCall(
  { to, selector }: Schemas['TargetView'],
  contracts: readonly Schemas['SmartContractView'][],
): NamedCall {
  const contract = contracts.find(({ address }) => address === to.toLowerCase());
  if (!contract || !selector) return { contract: contract?.name, method: undefined };
  return { contract: contract.name, method: methodWith(contract.abi, selector) };
}

function methodWith(abiText: string, selector: string): WriteMethod | undefined {
  try {
    const methods = methodsOf(JSON.parse(abiText) as Abi);
    return methods.find(({ signature }) => toFunctionSelector(signature) === selector);
  } catch {
    return undefined;
  }
}
