import { createHash } from 'node:crypto';
import { withoutSuffix } from '@paymaster/chain';
import {
  byteLength,
  eip7702AuthOf,
  initCodeOf,
  isPacked,
  type Address,
  type EntryPointVersion,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';

/** One operation as a bundler would put it on the chain. */
export interface CarriedOperation {
  readonly operation: UserOperation;
  /**
   * The final data or the stub: both have the same length and end with the signature, on v0.9 followed by the suffix.
   */
  readonly paymasterAndData: Hex;
}

/** `handleOps` of v0.6, and of the versions that pack the operation. */
const HANDLE_OPS = { v06: '1fad948c', packed: '765e827f' } as const;
const SIGNATURE_BYTES = 65;

/** Pseudo-random bytes in hexadecimal digits, as incompressible as signatures; the same in every process. */
const incompressible = (name: string, bytes: number): string =>
  createHash('shake256', { outputLength: bytes }).update(name).digest('hex');

/** Takes the place of signatures, because requests often have dummy signatures that compress to nothing. */
const SIGNATURE = {
  account: incompressible('account', SIGNATURE_BYTES),
  paymaster: incompressible('paymaster', SIGNATURE_BYTES),
} as const;

/** Fields that a bundler fills in, in usual lengths: fees are some gwei. */
const BUNDLER = {
  nonce: incompressible('nonce', 3),
  maxPriorityFeePerGas: incompressible('maxPriorityFeePerGas', 4),
  maxFeePerGas: incompressible('maxFeePerGas', 5),
  gasLimit: incompressible('gasLimit', 3),
  beneficiary: incompressible('beneficiary', 20),
} as const;

/**
 * The unsigned transaction that puts one operation on the chain, in a bundle of one: L1 data fees are counted on it.
 * The fields that only the bundler knows have the usual length and do not compress.
 */
export function handleOpsTransaction(
  { operation, paymasterAndData }: CarriedOperation,
  { chainId, entryPoint }: { readonly chainId: number; readonly entryPoint: Address },
): Uint8Array {
  const authorization = eip7702AuthOf(operation);
  const fields = [
    integer(BigInt(chainId)),
    item(BUNDLER.nonce),
    item(BUNDLER.maxPriorityFeePerGas),
    item(BUNDLER.maxFeePerGas),
    item(BUNDLER.gasLimit),
    item(entryPoint.slice(2)),
    item(''),
    item(handleOpsData(operation, paymasterAndData)),
    list(''),
  ];
  if (!authorization) return Buffer.from(`02${list(fields.join(''))}`, 'hex');
  const { chainId: ofChain, address, nonce, yParity, r, s } = authorization;
  const signed = [integer(ofChain), item(address.slice(2)), integer(nonce), integer(BigInt(yParity)), integer(r), integer(s)]; // prettier-ignore
  return Buffer.from(`04${list(fields.join('') + list(list(signed.join(''))))}`, 'hex');
}

/** The call data of `handleOps`, in hexadecimal digits. */
function handleOpsData(operation: UserOperation, paymasterAndData: Hex): string {
  const bytes = {
    initCode: initCodeOf(operation).slice(2),
    callData: operation.callData.slice(2),
    paymasterAndData: withPaymasterSignature(operation.entryPointVersion, paymasterAndData),
    signature: withSignature(operation.signature, SIGNATURE.account),
  };
  const { sender, nonce, preVerificationGas, ...rest } = operation;
  const packed = isPacked(operation);
  const gas = packed
    ? [pack(rest.verificationGasLimit, rest.callGasLimit), preVerificationGas, pack(rest.maxPriorityFeePerGas, rest.maxFeePerGas)] // prettier-ignore
    : [rest.callGasLimit, rest.verificationGasLimit, preVerificationGas, rest.maxFeePerGas, rest.maxPriorityFeePerGas];
  const words = 2 + 4 + gas.length;
  let offset = words * 32;
  const tails: string[] = [];
  const tail = (digits: string): string => {
    const at = word(BigInt(offset));
    const padded = word(BigInt(digits.length / 2)) + digits.padEnd(Math.ceil(digits.length / 64) * 64, '0');
    offset += padded.length / 2;
    tails.push(padded);
    return at;
  };
  const head = [
    sender.slice(2).padStart(64, '0'),
    word(nonce),
    tail(bytes.initCode),
    tail(bytes.callData),
    ...gas.map(word),
    tail(bytes.paymasterAndData),
    tail(bytes.signature),
  ];
  const operations = [word(0x40n), BUNDLER.beneficiary.padStart(64, '0'), word(1n), word(0x20n)];
  return [packed ? HANDLE_OPS.packed : HANDLE_OPS.v06, ...operations, ...head, ...tails].join('');
}

function withPaymasterSignature(version: EntryPointVersion, paymasterAndData: Hex): string {
  const signed = withoutSuffix(version, paymasterAndData);
  return withSignature(signed, SIGNATURE.paymaster) + paymasterAndData.slice(signed.length);
}

/** Replaces the signature at the end of `bytes` by a signature that does not compress; hexadecimal digits. */
function withSignature(bytes: Hex, signature: string): string {
  const count = Math.min(byteLength(bytes), SIGNATURE_BYTES);
  return bytes.slice(2, bytes.length - 2 * count) + signature.slice(0, 2 * count);
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}

function pack(high: bigint, low: bigint): bigint {
  return (high << 128n) | low;
}

/** RLP of an integer, which has no leading zeros; digits. */
function integer(value: bigint): string {
  const digits = value === 0n ? '' : value.toString(16);
  return item(digits.length % 2 === 0 ? digits : `0${digits}`);
}

/** RLP of bytes; digits. */
function item(digits: string): string {
  if (digits.length === 2 && digits < '80') return digits;
  return prefix(digits.length / 2, 0x80) + digits;
}

/** RLP of a list of items; digits. */
function list(items: string): string {
  return prefix(items.length / 2, 0xc0) + items;
}

function prefix(length: number, offset: number): string {
  if (length < 56) return byte(offset + length);
  const digits = length.toString(16);
  const whole = digits.length % 2 === 0 ? digits : `0${digits}`;
  return byte(offset + 55 + whole.length / 2) + whole;
}

function byte(value: number): string {
  return value.toString(16).padStart(2, '0');
}
