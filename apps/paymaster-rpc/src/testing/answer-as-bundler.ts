import type { FakeRpcServer } from '@paymaster/chain/testing';
import { CANONICAL_ENTRY_POINTS, type Hex } from '@paymaster/domain';
import { AbiCoder, id, zeroPadValue } from 'ethers';
import { getUserOperationHash } from 'viem/account-abstraction';

const V07 = CANONICAL_ENTRY_POINTS['0.7'];
const OPERATION_EVENT = id('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)');
const SOMEBODY = zeroPadValue(`0x${'12'.repeat(20)}`, 32);

/** The only operation of which the bundler below knows more than its receipt. */
const LANDED: Record<string, Hex> = {
  ...{ sender: `0x${'34'.repeat(20)}`, nonce: '0x1', callData: '0x', signature: '0x12' },
  ...{ callGasLimit: '0x1', verificationGasLimit: '0x1', preVerificationGas: '0x1' },
  ...{ maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' },
};
export const LANDED_HASH = hashOf(LANDED);

/** A bundler that takes every operation of EntryPoint v0.7, and has a receipt for every hash. */
export function answerAsBundler({ methods }: FakeRpcServer): void {
  methods['eth_sendUserOperation'] = ([operation]) => hashOf(operation as Record<string, Hex>);
  methods['eth_getUserOperationReceipt'] = ([hash]) => ({ userOpHash: hash, receipt: transactionOf(hash as Hex) });
  const { transactionHash } = transactionOf(LANDED_HASH);
  const landed = {
    userOperation: LANDED,
    entryPoint: V07,
    transactionHash,
    blockHash: transactionHash,
    blockNumber: '0x1',
  };
  methods['eth_getUserOperationByHash'] = ([hash]) => (hash === LANDED_HASH ? landed : null);
}

/** The hash of an operation on the wire, as viem computes it. */
export function hashOf(operation: Record<string, Hex>): Hex {
  const numbers = Object.fromEntries(
    Object.entries(operation).map(([name, value]) => [name, /Gas|nonce/.test(name) ? BigInt(value) : value]),
  );
  return getUserOperationHash({
    ...{ chainId: 31_337, entryPointAddress: V07, entryPointVersion: '0.7' },
    userOperation: numbers as never,
  });
}

function transactionOf(userOpHash: Hex) {
  const data = AbiCoder.defaultAbiCoder().encode(['uint256', 'bool', 'uint256', 'uint256'], [1n, true, 1n, 1n]);
  const transactionHash: Hex = `0x${'7f'.repeat(32)}`;
  const event = { address: V07, topics: [OPERATION_EVENT, userOpHash, SOMEBODY, SOMEBODY], data, transactionHash };
  return { transactionHash, status: '0x1', logs: [event] };
}
