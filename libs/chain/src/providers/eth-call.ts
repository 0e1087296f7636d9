import type { Address, Hex } from '@paymaster/domain';
import { JsonRpcResponseError } from '../json-rpc/json-rpc-errors';
import { toQuantity } from '../json-rpc/parse';

/** A read-only call of a contract. */
export interface EthCall {
  readonly to: Address;
  readonly data: Hex;
  /** The caller; the zero address by default. */
  readonly from?: Address;
  /** The most gas it may use; by default the node's limit. Bounds the work that a hostile contract can cause. */
  readonly gas?: bigint;
  /** Wei per gas, as the call itself sees it; zero by default. The caller then needs the coins to pay for all gas. */
  readonly gasPriceWei?: bigint;
}

/** The contract refused the call or broke off. Every node would answer the same, so no other node is asked. */
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

/** How nodes name the ends of a call other than success and revert: geth and anvil, then Nethermind and revm. */
const HALTED =
  /EVM error|out of gas|invalid opcode|invalid jump|stack (underflow|overflow|limit)|write protection|code size exceeded/i;
const HALTED_BY_NAME =
  /VM execution error|VM Exception|OutOfGas|BadInstruction|OpcodeNotFound|InvalidJump|Stack(Underflow|Overflow)|StaticCallViolation|AccessViolation|PrecompileFailure/i;
/** Geth's and anvil's "execution reverted", and Nethermind's "VM execution error." with the reason in the data. */
const REVERT_CODES = new Set([3, -32015]);

/**
 * A revert, by its code, or by the words of some nodes. A node that broke off because it took too long did not revert.
 */
export function isRevert(error: unknown): error is JsonRpcResponseError {
  if (!(error instanceof JsonRpcResponseError)) return false;
  const { code, rpcMessage } = error;
  return (
    REVERT_CODES.has(code) || /revert/i.test(rpcMessage) || HALTED.test(rpcMessage) || HALTED_BY_NAME.test(rpcMessage)
  );
}

/** Code -32601 is JSON-RPC's own; providers that sell methods apart answer -32004 or say so in words. */
export function isMethodUnknown(error: unknown): boolean {
  if (!(error instanceof JsonRpcResponseError)) return false;
  return error.code === -32601 || error.code === -32004 || /method .*not|unsupported method/i.test(error.rpcMessage);
}

/** As JSON-RPC writes it. */
export function toWireCall({ gas, gasPriceWei, ...call }: EthCall): Record<string, Hex> {
  return {
    ...call,
    ...(gas !== undefined && { gas: toQuantity(gas) }),
    ...(gasPriceWei !== undefined && { gasPrice: toQuantity(gasPriceWei) }),
  };
}
