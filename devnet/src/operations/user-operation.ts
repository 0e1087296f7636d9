import { concatHex, numberToHex } from 'viem';
import type { UserOperation } from 'viem/account-abstraction';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import type { Stack } from '../stack/stack-file';
import { rpc } from '../chain/json-rpc';
import { chainReader, type SimpleAccount } from './simple-account';

/** A user operation as it travels in JSON-RPC, of any version. */
export type WireUserOperation = Readonly<Record<string, Hex | null>>;

export interface Call {
  readonly to: Hex;
  readonly data?: Hex;
  readonly value?: bigint;
}

/** Fields that hold integers, in every version. */
const QUANTITIES = [
  'nonce',
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
];

/** What a wallet sends to be sponsored: calls, nonce, fees of the moment and a stub signature; no gas limits. */
export async function draftUserOperation(
  stack: Stack,
  { account, calls }: { account: SimpleAccount; calls: readonly Call[] },
): Promise<WireUserOperation> {
  const [nonce, callData, factory, fees, signature] = await Promise.all([
    account.getNonce(),
    account.encodeCalls(calls),
    account.getFactoryArgs(),
    chainReader(stack).estimateFeesPerGas(),
    account.getStubSignature(),
  ]);
  return {
    sender: account.address,
    nonce: numberToHex(nonce),
    ...deployment(account.entryPoint.version as EntryPointVersion, factory),
    callData,
    maxFeePerGas: numberToHex(fees.maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(fees.maxPriorityFeePerGas),
    signature,
  };
}

/** The complete operation, signed by the account's owner. */
export async function signUserOperation(
  account: SimpleAccount,
  operation: WireUserOperation,
): Promise<WireUserOperation> {
  const unpacked = Object.fromEntries(
    Object.entries(operation).map(([name, value]) => [
      name,
      value !== null && QUANTITIES.includes(name) ? BigInt(value) : value,
    ]),
  ) as unknown as UserOperation<EntryPointVersion>;
  return { ...operation, signature: await account.signUserOperation(unpacked) };
}

/** Hands an operation to the bundler. @returns its hash @throws when the bundler refuses it */
export function sendUserOperation(
  stack: Stack,
  { version, operation }: { version: EntryPointVersion; operation: WireUserOperation },
): Promise<Hex> {
  return rpc<Hex>(stack.bundler, 'eth_sendUserOperation', [operation, stack.entryPoints[version]]);
}

function deployment(
  version: EntryPointVersion,
  { factory, factoryData }: { factory?: Hex; factoryData?: Hex },
): WireUserOperation {
  const present = factory && factoryData ? { factory, factoryData } : undefined;
  if (version !== '0.6') return present ?? {};
  return { initCode: present ? concatHex([present.factory, present.factoryData]) : '0x' };
}
