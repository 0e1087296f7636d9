import {
  EIP7702_MARKER,
  initCodeOf,
  isPacked,
  takesEip7702Marker,
  type Address,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';
import { AbiCoder, concat, keccak256, toBeHex, TypedDataEncoder } from 'ethers';
import { PAYMASTER_SIGNATURE_MAGIC, paymasterAndDataOf, type CompleteOperation } from './complete-operation';

const PACKED_OPERATION = {
  PackedUserOperation: [
    { name: 'sender', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'initCode', type: 'bytes' },
    { name: 'callData', type: 'bytes' },
    { name: 'accountGasLimits', type: 'bytes32' },
    { name: 'preVerificationGas', type: 'uint256' },
    { name: 'gasFees', type: 'bytes32' },
    { name: 'paymasterAndData', type: 'bytes' },
  ],
};

/** Which EntryPoint of which chain. */
interface HashPlace {
  readonly entryPoint: Address;
  readonly chainId: number;
  /** Of a sender that delegates by EIP-7702 with the marker as its factory: whose code it runs. */
  readonly delegate?: Address | undefined;
}

/** `userOpHash`, as `EntryPoint.getUserOpHash` of the operation's version computes it (ERC-4337). */
export function userOpHash(complete: CompleteOperation, place: HashPlace): Hex {
  const { operation } = complete;
  if (!isPacked(operation)) return hashV06(complete, place);
  const packed = pack(complete, place);
  return (operation.entryPointVersion === '0.7' ? hashV07(packed, place) : hashTyped(packed, place)) as Hex;
}

function hashV06(complete: CompleteOperation, { entryPoint, chainId }: HashPlace): Hex {
  const { operation } = complete;
  const encoded = AbiCoder.defaultAbiCoder().encode(
    ['address', 'uint256', 'bytes32', 'bytes32', ...Array<string>(5).fill('uint256'), 'bytes32'],
    [
      operation.sender,
      operation.nonce,
      keccak256(initCodeOf(operation)),
      keccak256(operation.callData),
      operation.callGasLimit,
      operation.verificationGasLimit,
      operation.preVerificationGas,
      operation.maxFeePerGas,
      operation.maxPriorityFeePerGas,
      keccak256(paymasterAndDataOf(complete)),
    ],
  );
  return ofEntryPoint(encoded, { entryPoint, chainId });
}

type Packed = Readonly<Record<(typeof PACKED_OPERATION.PackedUserOperation)[number]['name'], unknown>>;

function hashV07(packed: Packed, place: HashPlace): Hex {
  const encoded = AbiCoder.defaultAbiCoder().encode(
    ['address', 'uint256', 'bytes32', 'bytes32', 'bytes32', 'uint256', 'bytes32', 'bytes32'],
    [
      packed['sender'],
      packed['nonce'],
      keccak256(packed['initCode'] as Hex),
      keccak256(packed['callData'] as Hex),
      packed['accountGasLimits'],
      packed['preVerificationGas'],
      packed['gasFees'],
      keccak256(packed['paymasterAndData'] as Hex),
    ],
  );
  return ofEntryPoint(encoded, place);
}

function ofEntryPoint(encoded: string, { entryPoint, chainId }: HashPlace): Hex {
  const coder = AbiCoder.defaultAbiCoder();
  return keccak256(coder.encode(['bytes32', 'address', 'uint256'], [keccak256(encoded), entryPoint, chainId])) as Hex;
}

/** From v0.8 on the hash is EIP-712. */
function hashTyped(packed: Packed, { entryPoint, chainId }: HashPlace): Hex {
  const domain = { name: 'ERC4337', version: '1', chainId, verifyingContract: entryPoint };
  return TypedDataEncoder.hash(domain, PACKED_OPERATION, packed) as Hex;
}

function pack(complete: CompleteOperation, { delegate }: HashPlace): Packed {
  const { operation, paymaster } = complete;
  const paymasterAndData = paymasterAndDataOf(complete);
  return {
    sender: operation.sender,
    nonce: operation.nonce,
    initCode: hashedInitCode(operation, delegate),
    callData: operation.callData,
    accountGasLimits: concat([toBeHex(operation.verificationGasLimit, 16), toBeHex(operation.callGasLimit, 16)]),
    preVerificationGas: operation.preVerificationGas,
    gasFees: concat([toBeHex(operation.maxPriorityFeePerGas, 16), toBeHex(operation.maxFeePerGas, 16)]),
    paymasterAndData:
      paymaster?.paymasterSignature === undefined
        ? paymasterAndData
        : concat([paymasterAndData, PAYMASTER_SIGNATURE_MAGIC]),
  };
}

/** Where the factory is the marker of EIP-7702, the hash has the delegate in its place. */
function hashedInitCode(operation: UserOperation, delegate: Address | undefined): Hex {
  const initCode = initCodeOf(operation);
  if (!marksDelegation(operation) || delegate === undefined) return initCode;
  return `0x${delegate.slice(2)}${initCode.slice(42)}`;
}

/** Whether the hash depends on the delegate. */
export function marksDelegation(operation: UserOperation): boolean {
  return isPacked(operation) && takesEip7702Marker(operation.entryPointVersion) && operation.factory === EIP7702_MARKER;
}
