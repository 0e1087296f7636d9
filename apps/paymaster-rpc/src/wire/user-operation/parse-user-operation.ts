import {
  EIP7702_MARKER,
  InvalidParamsError,
  isPacked,
  isPackedVersion,
  normalizeAddress,
  takesEip7702Marker,
  type Address,
  type EntryPointVersion,
  type Hex,
  type UserOperation,
  type UserOperationV07,
} from '@paymaster/domain';
import { parseAuthorization } from './parse-authorization';
import { parseQuantity } from './quantity';
import type { RawUserOperation } from './raw-user-operation';

/** Bundlers take operations of at most this size (ERC-7562, MAX_USEROP_SIZE); bytes. */
export const MAX_USER_OPERATION_BYTES = 8_192;
/** The fixed fields of a packed operation with their offsets, and our own part. */
const FIXED_BYTES = 640;

/** The zero address and the precompiles: their first 18 bytes are zero. */
const PRECOMPILE = /^0x0{36}/;

/** The factory that stands for an EIP-7702 delegation; EntryPoint v0.8 and v0.9 take it padded or not. */
const EIP7702_FACTORY = /^0x7702(?:0{36})?$/;

/** Whether the factory field holds the marker of an EIP-7702 delegation instead of a factory. */
export function isEip7702Factory(factory: string | null | undefined): boolean {
  return typeof factory === 'string' && EIP7702_FACTORY.test(factory);
}

/**
 * The operation that a checked `params[0]` means. Limits that are absent are zero; an absent signature is `0x`.
 *
 * @param version of {@link detectEntryPointVersion}
 * @param reserved addresses that can't be an account: our paymaster and the EntryPoint
 * @param chainId that an EIP-7702 authorization has to be for
 * @throws {InvalidParamsError} naming the field
 */
export function parseUserOperation(
  raw: RawUserOperation,
  { version, reserved, chainId }: { version: EntryPointVersion; reserved: readonly Address[]; chainId: number },
): UserOperation {
  const sender = normalizeAddress(raw.sender);
  assertNoReservedSender(sender, reserved);
  const common = {
    sender,
    nonce: parseQuantity(raw.nonce, { field: 'params[0].nonce', bits: 256 }),
    callData: hexField(raw.callData, 'callData'),
    callGasLimit: gasField(raw, 'callGasLimit'),
    verificationGasLimit: gasField(raw, 'verificationGasLimit'),
    preVerificationGas: gasField(raw, 'preVerificationGas'),
    maxFeePerGas: gasField(raw, 'maxFeePerGas'),
    maxPriorityFeePerGas: gasField(raw, 'maxPriorityFeePerGas'),
    signature: hexField(raw.signature ?? '0x', 'signature'),
  };
  if (common.maxPriorityFeePerGas > common.maxFeePerGas) {
    throw invalid('maxPriorityFeePerGas', 'is higher than maxFeePerGas');
  }
  const operation: UserOperation = isPackedVersion(version)
    ? { ...common, entryPointVersion: version, ...parseFactory(raw, version), ...parseDelegation(raw, chainId) }
    : { ...common, entryPointVersion: version, initCode: parseInitCode(raw) };
  assertSize(operation);
  return operation;
}

type GasField =
  'callGasLimit' | 'verificationGasLimit' | 'preVerificationGas' | 'maxFeePerGas' | 'maxPriorityFeePerGas';

/** 128 bits on every version: a value that does not fit into a packed operation makes no sense on v0.6 either. */
function gasField(raw: RawUserOperation, name: GasField): bigint {
  return parseQuantity(raw[name], { field: `params[0].${name}`, bits: 128 });
}

/** The schema has checked the digits. Here it remains to check that their number is even. */
function hexField(value: string, name: string): Hex {
  if (value.length % 2 === 0) return value as Hex;
  throw invalid(name, 'must be bytes: 0x and an even number of hex digits');
}

function parseInitCode(raw: RawUserOperation): Hex {
  const initCode = hexField(raw.initCode ?? '0x', 'initCode');
  if (initCode !== '0x' && initCode.length < 42) throw invalid('initCode', 'is shorter than a factory address');
  return initCode;
}

function parseFactory(
  { factory, factoryData, eip7702Auth, authorization }: RawUserOperation,
  version: EntryPointVersion,
): { factory?: Address; factoryData?: Hex } {
  const data = hexField(factoryData ?? '0x', 'factoryData');
  if (factory === undefined || factory === null || factory === '0x') {
    if (data !== '0x') throw invalid('factoryData', 'needs a factory');
    return {};
  }
  if (isEip7702Factory(factory)) {
    if (takesEip7702Marker(version)) return { factory: EIP7702_MARKER, factoryData: data };
    throw invalid('factory', `stands for an EIP-7702 delegation, which EntryPoint v${version} does not know`);
  }
  if (eip7702Auth || authorization) throw invalid('factory', 'must be 0x7702 beside an EIP-7702 authorization');
  return { factory: normalizeAddress(factory), factoryData: data };
}

function parseDelegation(raw: RawUserOperation, chainId: number): Pick<UserOperationV07, 'eip7702Auth'> {
  const eip7702Auth = parseAuthorization(raw, { chainId });
  return eip7702Auth ? { eip7702Auth } : {};
}

function assertSize(operation: UserOperation): void {
  const init = isPacked(operation) ? (operation.factoryData ?? '0x') : operation.initCode;
  const bytes = FIXED_BYTES + (operation.callData.length + init.length + operation.signature.length) / 2;
  if (bytes <= MAX_USER_OPERATION_BYTES) return;
  throw new InvalidParamsError(
    'params[0]',
    `params[0] is an operation of about ${bytes} bytes; bundlers take at most ${MAX_USER_OPERATION_BYTES}.`,
  );
}

function invalid(name: string, sentence: string): InvalidParamsError {
  const field = `params[0].${name}`;
  return new InvalidParamsError(field, `${field} ${sentence}.`);
}

/** @throws {InvalidParamsError} when the sender cannot be a smart account */
function assertNoReservedSender(sender: Address, reserved: readonly Address[]): void {
  if (!PRECOMPILE.test(sender) && !reserved.includes(sender)) return;
  throw new InvalidParamsError('params[0].sender', 'params[0].sender cannot be a smart account.');
}
