import { delegationTo, eip7702AuthOf, type Address, type Hex, type UserOperation } from '@paymaster/domain';
import { JsonRpcResponseError } from '../json-rpc/json-rpc-errors';
import { toQuantity } from '../json-rpc/parse';
import type { EthCall } from './eth-call';

/** The state that an account has during one `eth_call`; everything that is not named stays as it is on chain. */
export interface AccountOverride {
  readonly code?: Hex;
  /** 32-byte words by slot, both as 0x and 64 digits. */
  readonly stateDiff?: Readonly<Record<Hex, Hex>>;
  readonly balanceWei?: bigint;
}

/** The third parameter of `eth_call` (geth's "state override set"), by address. */
export type StateOverrides = Readonly<Record<Address, AccountOverride>>;

/**
 * What a call sees of its block, where that is not the latest block (block overrides: `eth_call`'s fourth parameter).
 */
export interface BlockOverride {
  readonly number: bigint;
  readonly timestampSeconds: number;
}

/**
 * No node of this chain takes state overrides, so features that need them can't be offered here. It is no outage, and
 * says nothing about the call.
 */
export class StateOverridesUnsupportedError extends Error {
  constructor(chainId: number, options?: ErrorOptions) {
    super(`the nodes of chain ${chainId} do not take state overrides`, options);
    this.name = 'StateOverridesUnsupportedError';
  }
}

/** The account's code after the operation's authorization, which is in force before the EntryPoint is called. */
export function delegationOf(operation: UserOperation): StateOverrides {
  const authorization = eip7702AuthOf(operation);
  return authorization ? { [operation.sender]: { code: delegationTo(authorization.address) } } : {};
}

/** As JSON-RPC writes them. */
export function toWireOverrides(overrides: StateOverrides): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(overrides).map(([address, { code, stateDiff, balanceWei }]) => [
      address,
      {
        ...(code !== undefined && { code }),
        ...(stateDiff && { stateDiff }),
        ...(balanceWei !== undefined && { balance: toQuantity(balanceWei) }),
      },
    ]),
  );
}

/** As JSON-RPC writes it. */
export function toWireBlock({ number, timestampSeconds }: BlockOverride): Record<string, Hex> {
  return { number: toQuantity(number), time: toQuantity(timestampSeconds) };
}

/** "Invalid request", "method not found", "invalid params": what nodes answer to a parameter they do not know. */
const REFUSING_CODES = new Set([-32600, -32601, -32602]);
const REFUSING_WORDS = /too many (arguments|params)|state ?overrides?|expected (at most |only )?2/i;
/** Nodes that ignore overrides answer this, because an override gives the caller the coins that a call needs. */
const IGNORING_WORDS = /insufficient funds/i;

/**
 * Whether a node's answer to a call with overrides says that it does not take overrides, or shows that it ignored them.
 */
export function refusesOverrides(error: unknown): error is JsonRpcResponseError {
  if (!(error instanceof JsonRpcResponseError)) return false;
  const { code, rpcMessage } = error;
  return REFUSING_CODES.has(code) || REFUSING_WORDS.test(rpcMessage) || IGNORING_WORDS.test(rpcMessage);
}

/** An unused address, and code that returns the word 1. */
const PROBE_ADDRESS: Address = '0x70726f62652e6f662e6f76657272696465732e2e';
const PROBE_CODE: Hex = '0x600160005260206000f3';
const PROBE_ANSWER: Hex = `0x${'1'.padStart(64, '0')}`;

/**
 * Whether the node that answers now takes state overrides. Some nodes silently ignore them, and their answer then is
 * for another state than the one asked for; this detects it.
 *
 * @param deadlineMs of the request that asks, by the monotonic clock
 * @throws {DependencyUnavailableError} `chain`, when no URL gave a usable answer
 */
export async function supportsStateOverrides(
  provider: {
    ethCall<T>(
      call: EthCall,
      parse: (returned: unknown) => T,
      overrides: StateOverrides,
      deadlineMs?: number,
    ): Promise<T>;
  },
  deadlineMs?: number,
): Promise<boolean> {
  const call = { to: PROBE_ADDRESS, data: '0x' } as const;
  const overrides = { [PROBE_ADDRESS]: { code: PROBE_CODE } };
  try {
    return await provider.ethCall(call, (returned) => returned === PROBE_ANSWER, overrides, deadlineMs);
  } catch (error) {
    if (error instanceof StateOverridesUnsupportedError) return false;
    throw error;
  }
}
