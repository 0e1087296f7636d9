import { concatHex, encodeFunctionData, numberToHex, parseAbi, parseEventLogs } from 'viem';
import { entryPointV06Abi, entryPointV07Abi } from '@paymaster/contract-abis';
import {
  CANONICAL_ENTRY_POINTS,
  initCodeOf,
  normalizeAddress,
  type Address,
  type EntryPointVersion,
  type Hex,
} from '@paymaster/domain';
import type { PaidOperation } from '../../../src/testing/token-call';
import type { TokenChain } from '../../../src/testing/token-chain';

/** What the chain says of a landed operation. */
export interface LandedOperation {
  readonly userOpHash: Hex;
  readonly sender: Address;
  readonly success: boolean;
  /** What the EntryPoint took from the paymaster's deposit; wei. */
  readonly actualGasCostWei: bigint;
  /** How the sender paid, by the paymaster's events; base units. */
  readonly paid: { readonly charged: bigint; readonly refunded: bigint } | undefined;
  readonly due: { readonly baseUnits: bigint; readonly callsSucceeded: boolean } | undefined;
  readonly postOpReverted: boolean;
}

const EVENTS = parseAbi([
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
  'event PostOpRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)',
  'event UserOperationPaidInToken(bytes32 indexed userOpHash, address indexed token, address indexed sender, address feeReceiver, uint256 charged, uint256 refunded)',
  'event TokenPaymentDue(bytes32 indexed userOpHash, address indexed token, address indexed sender, uint256 due, bool callsSucceeded)',
]);

/** Bundles operations of one EntryPoint version in one transaction, as their own bundler. @throws when it reverts */
export async function handleOps(chain: TokenChain, operations: readonly PaidOperation[]): Promise<LandedOperation[]> {
  const version = operations[0]?.operation.entryPointVersion ?? '0.7';
  const data = encodeHandleOps(version, operations, chain.outsider);
  const { logs } = await chain.send({ to: CANONICAL_ENTRY_POINTS[version], data });
  const events = parseEventLogs({ abi: EVENTS, logs });
  return events.flatMap((event) => {
    if (event.eventName !== 'UserOperationEvent') return [];
    const { userOpHash, sender, success, actualGasCost } = event.args;
    const same = events.filter(({ args }) => args.userOpHash === userOpHash);
    const paid = same.find(({ eventName }) => eventName === 'UserOperationPaidInToken')?.args;
    const due = same.find(({ eventName }) => eventName === 'TokenPaymentDue')?.args;
    return {
      ...{ userOpHash, sender: normalizeAddress(sender), success, actualGasCostWei: actualGasCost },
      paid: paid && 'charged' in paid ? { charged: paid.charged, refunded: paid.refunded } : undefined,
      due: due && 'due' in due ? { baseUnits: due.due, callsSucceeded: due.callsSucceeded } : undefined,
      postOpReverted: same.some(({ eventName }) => eventName === 'PostOpRevertReason'),
    };
  });
}

/** `callData` of the transaction that bundles them. */
export function encodeHandleOps(
  version: EntryPointVersion,
  operations: readonly PaidOperation[],
  beneficiary: Address,
): Hex {
  if (version === '0.6') {
    const args = [operations.map(packV06), beneficiary] as const;
    return encodeFunctionData({ abi: entryPointV06Abi, functionName: 'handleOps', args });
  }
  const args = [operations.map(packV07), beneficiary] as const;
  return encodeFunctionData({ abi: entryPointV07Abi, functionName: 'handleOps', args });
}

function packV06({ operation, paymasterAndData }: PaidOperation) {
  return { ...operation, initCode: initCodeOf(operation), paymasterAndData };
}

function packV07({ operation, paymasterAndData }: PaidOperation) {
  const { sender, nonce, callData, preVerificationGas, signature } = operation;
  return {
    ...{ sender, nonce, callData, preVerificationGas, signature, paymasterAndData },
    initCode: initCodeOf(operation),
    accountGasLimits: twoHalves(operation.verificationGasLimit, operation.callGasLimit),
    gasFees: twoHalves(operation.maxPriorityFeePerGas, operation.maxFeePerGas),
  };
}

function twoHalves(high: bigint, low: bigint): Hex {
  return concatHex([numberToHex(high, { size: 16 }), numberToHex(low, { size: 16 })]);
}
