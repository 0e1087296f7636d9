import { concat, hexToBigInt, hexToNumber, numberToHex, recoverTypedDataAddress, size, slice, zeroAddress } from 'viem';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import type { Stack } from '@paymaster/devnet';
import type { WireOperation } from './wire-operation';

/** The fields of sponsorship data, read by docs/architecture/paymaster-data.md and by nothing of the gateway. */
export interface SponsorData {
  readonly paymaster: Hex;
  readonly paymasterVerificationGasLimit: bigint;
  readonly paymasterPostOpGasLimit: bigint;
  readonly mode: number;
  readonly validUntil: number;
  readonly validAfter: number;
  readonly fundingWallet: Hex;
  readonly feeMarkup: number;
  readonly unaccountedGas: number;
  readonly signature: Hex;
}

const HEAD = [
  { name: 'entryPoint', type: 'address' },
  { name: 'mode', type: 'uint8' },
  { name: 'sender', type: 'address' },
  { name: 'delegate', type: 'address' },
  { name: 'nonce', type: 'uint256' },
  { name: 'initCode', type: 'bytes' },
  { name: 'callData', type: 'bytes' },
] as const;

const TAIL = [
  { name: 'validUntil', type: 'uint48' },
  { name: 'validAfter', type: 'uint48' },
  { name: 'fundingWallet', type: 'address' },
  { name: 'feeMarkup', type: 'uint32' },
  { name: 'unaccountedGas', type: 'uint32' },
] as const;

const V06 = [
  ...HEAD,
  { name: 'callGasLimit', type: 'uint256' },
  { name: 'verificationGasLimit', type: 'uint256' },
  { name: 'preVerificationGas', type: 'uint256' },
  { name: 'maxFeePerGas', type: 'uint256' },
  { name: 'maxPriorityFeePerGas', type: 'uint256' },
  ...TAIL,
] as const;

const V07 = [
  ...HEAD,
  { name: 'accountGasLimits', type: 'bytes32' },
  { name: 'preVerificationGas', type: 'uint256' },
  { name: 'gasFees', type: 'bytes32' },
  { name: 'paymasterVerificationGasLimit', type: 'uint128' },
  { name: 'paymasterPostOpGasLimit', type: 'uint128' },
  ...TAIL,
] as const;

/** @throws when the length is not exactly the documented one */
export function parseSponsorData(version: EntryPointVersion, paymasterAndData: Hex): SponsorData {
  const expected = version === '0.6' ? 126 : version === '0.9' ? 168 : 158;
  if (size(paymasterAndData) !== expected) {
    throw new Error(`paymasterAndData has ${size(paymasterAndData)} bytes, not ${expected}`);
  }
  const limits = version === '0.6' ? undefined : slice(paymasterAndData, 20, 52);
  const data = slice(paymasterAndData, limits ? 52 : 20);
  return {
    paymaster: slice(paymasterAndData, 0, 20),
    paymasterVerificationGasLimit: limits ? hexToBigInt(slice(limits, 0, 16)) : 0n,
    paymasterPostOpGasLimit: limits ? hexToBigInt(slice(limits, 16, 32)) : 0n,
    mode: hexToNumber(slice(data, 0, 1)),
    validUntil: hexToNumber(slice(data, 1, 7)),
    validAfter: hexToNumber(slice(data, 7, 13)),
    fundingWallet: slice(data, 13, 33),
    feeMarkup: hexToNumber(slice(data, 33, 37)),
    unaccountedGas: hexToNumber(slice(data, 37, 41)),
    signature: slice(data, 41, 106),
  };
}

export interface SignedOperation {
  readonly stack: Stack;
  readonly version: EntryPointVersion;
  /** With the three account gas limits that the signature is over. */
  readonly operation: WireOperation;
  readonly paymasterAndData: Hex;
  /** Whose code the sender runs by EIP-7702; left out where it does not delegate. */
  readonly delegate?: Hex;
}

/**
 * Who signed sponsorship data for exactly this operation. Changing any field of it gives another address, so a known
 * signer here proves that what was sent is what was signed.
 */
export function recoverSponsorSigner({
  stack,
  version,
  operation,
  paymasterAndData,
  delegate = zeroAddress,
}: SignedOperation): Promise<Hex> {
  const data = parseSponsorData(version, paymasterAndData);
  const gas = (name: 'callGasLimit' | 'verificationGasLimit' | 'preVerificationGas') => BigInt(operation[name] ?? 0);
  const fields = {
    ...data,
    ...operation,
    entryPoint: stack.entryPoints[version],
    delegate,
    nonce: BigInt(operation.nonce),
    initCode:
      operation.initCode ?? (operation.factory ? concat([operation.factory, operation.factoryData ?? '0x']) : '0x'),
    preVerificationGas: gas('preVerificationGas'),
    paymasterVerificationGasLimit: data.paymasterVerificationGasLimit,
    paymasterPostOpGasLimit: data.paymasterPostOpGasLimit,
  };
  const domain = {
    name: 'HybridPaymaster',
    version: '1',
    chainId: stack.chainId,
    verifyingContract: stack.paymasters[version],
  };
  const { signature } = data;
  if (version === '0.6') {
    const message = {
      ...fields,
      callGasLimit: gas('callGasLimit'),
      verificationGasLimit: gas('verificationGasLimit'),
      maxFeePerGas: BigInt(operation.maxFeePerGas),
      maxPriorityFeePerGas: BigInt(operation.maxPriorityFeePerGas),
    };
    const types = { SponsoredUserOperation: V06 };
    return recoverTypedDataAddress({ domain, types, primaryType: 'SponsoredUserOperation', message, signature });
  }
  const message = {
    ...fields,
    accountGasLimits: pack(gas('verificationGasLimit'), gas('callGasLimit')),
    gasFees: pack(BigInt(operation.maxPriorityFeePerGas), BigInt(operation.maxFeePerGas)),
  };
  const types = { SponsoredUserOperation: V07 };
  return recoverTypedDataAddress({ domain, types, primaryType: 'SponsoredUserOperation', message, signature });
}

function pack(high: bigint, low: bigint): Hex {
  return concat([numberToHex(high, { size: 16 }), numberToHex(low, { size: 16 })]);
}
