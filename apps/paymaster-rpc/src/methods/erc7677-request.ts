import { InvalidParamsError, type UserOperation } from '@paymaster/domain';
import type { Caller } from '../callers/caller';
import { promisedValidity, type WantedValidity } from '../sponsorship/validity';
import { parseQuantity } from '../user-operation/quantity';
import type { RawUserOperation } from '../user-operation/raw-user-operation';
import { operationFor } from './operation-for';
import { parseContext, type RawMode } from './parse-mode';
import type { RequestedMode } from './requested-mode';

/** What both ERC-7677 methods are asked with. */
export interface Erc7677Request {
  readonly operation: UserOperation;
  readonly mode: RequestedMode;
  /** True when the client asked for gas limits in so many words; by default its bundler estimates them. */
  readonly wantsGasLimits: boolean;
  readonly expiry: WantedValidity;
}

/** @throws {InvalidParamsError} naming the field, for another chain than the key's too */
export function parseErc7677Request(params: readonly unknown[], caller: Caller): Erc7677Request {
  const { config } = caller.chain;
  const [raw, entryPoint, chainId, context] = params as [RawUserOperation, string, string | number, RawMode | null];
  const asked = parseQuantity(chainId, { field: 'params[2]', bits: 256 });
  if (asked !== BigInt(config.chainId)) {
    const sentence = `params[2] names chain ${asked}, but the API key is for chain ${config.chainId}.`;
    throw new InvalidParamsError('params[2]', sentence, 'CHAIN_MISMATCH');
  }
  const mode = parseContext(context, 'params[3]');
  const operation = operationFor(raw, { caller, entryPoint: { address: entryPoint, field: 'params[1]' } });
  const promised = promisedValidity(operation.entryPointVersion, raw.paymasterData);
  const expiry = { seconds: mode.expirySeconds, field: 'params[3].expiryDuration', promised };
  return { operation, mode, wantsGasLimits: context?.calculateGasLimits === true, expiry };
}
