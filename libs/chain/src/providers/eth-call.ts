import type { Address, Hex } from '@paymaster/domain';
import { JsonRpcResponseError } from '../json-rpc/json-rpc-errors';
import { toQuantity } from '../json-rpc/parse';

/** A read-only call of a contract. */
export interface EthCall {
  readonly to: Address;
  readonly data: Hex;
  /** Who calls; the zero address by default. */
  readonly from?: Address;
  /** The most it may use; by default what the node allows. Bounds what a hostile contract can make of it. */
  readonly gas?: bigint;
}

/** The contract refused the call or broke off: every node would say the same, so no other one is asked. */
export class CallRevertedError extends Error {
  constructor(
    message: string,
    readonly data: unknown,
  ) {
    super(message);
    this.name = 'CallRevertedError';
  }
}

/** No node of the chain has this method. */
export class MethodUnsupportedError extends Error {
  constructor(method: string, options?: ErrorOptions) {
    super(`no node of the chain has ${method}`, options);
    this.name = 'MethodUnsupportedError';
  }
}

/** How geth, anvil and their relatives name the ends of a call other than success and revert. */
const HALTED = /EVM error|out of gas|invalid opcode|invalid jump|stack (underflow|overflow|limit)|write protection/i;

/** Code 3 is geth's and anvil's "execution reverted"; others only say so in words. */
export function isRevert(error: unknown): error is JsonRpcResponseError {
  if (!(error instanceof JsonRpcResponseError)) return false;
  return error.code === 3 || /revert/i.test(error.rpcMessage) || HALTED.test(error.rpcMessage);
}

/** Code -32601 is JSON-RPC's own; providers that sell methods apart answer -32004 or say so in words. */
export function isMethodUnknown(error: unknown): boolean {
  if (!(error instanceof JsonRpcResponseError)) return false;
  return error.code === -32601 || error.code === -32004 || /method .*not|unsupported method/i.test(error.rpcMessage);
}

/** As JSON-RPC writes it. */
export function toWireCall({ gas, ...call }: EthCall): Record<string, Hex> {
  return { ...call, ...(gas !== undefined && { gas: toQuantity(gas) }) };
}
