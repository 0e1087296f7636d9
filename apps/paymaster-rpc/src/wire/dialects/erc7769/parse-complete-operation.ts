import type { CompleteOperation, SentPaymaster } from '@paymaster/chain';
import {
  hasPaymasterSignature,
  InvalidParamsError,
  isPacked,
  normalizeAddress,
  type Address,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';
import type { Caller } from '../../../callers/caller';
import { operationFor } from '../common/parse-operation';
import { parseQuantity, type RawQuantity } from '../../user-operation/quantity';
import type { RawUserOperation } from '../../user-operation/raw-user-operation';

/** `params[0]` of the bundler's methods, of a shape that the schema has accepted. */
export interface RawCompleteOperation extends RawUserOperation {
  readonly paymasterAndData?: string | null;
  readonly paymaster?: string | null;
  readonly paymasterVerificationGasLimit?: RawQuantity | null;
  readonly paymasterPostOpGasLimit?: RawQuantity | null;
  readonly paymasterSignature?: string | null;
}

/**
 * The magic at the end of paymaster data whose signature the hash leaves out, in hexadecimal digits. A length of 2
 * bytes may stand before it.
 */
const SIGNATURE_MAGIC = '22e325a297439656';
const LENGTH_DIGITS = 4;
const ADDRESS_LENGTH = 42;

/**
 * The operation of `params[0]` with its paymaster's fields. Empty fields without a paymaster are dropped: thirdweb sends
 * them, and voltaire refuses them.
 *
 * @throws {InvalidParamsError} naming the field
 */
export function completeOperationFor(
  raw: RawCompleteOperation,
  { caller, entryPoint }: { caller: Caller; entryPoint: { address: string; field: string } },
): CompleteOperation {
  const operation = operationFor(raw, { caller, entryPoint });
  return { operation, paymaster: isPacked(operation) ? paymasterOf(raw, operation) : paymasterOfV06(raw) };
}

function paymasterOfV06({ paymasterAndData }: RawCompleteOperation): SentPaymaster | undefined {
  const bytes = hexOf(paymasterAndData, 'paymasterAndData');
  if (bytes === '0x') return undefined;
  if (bytes.length < ADDRESS_LENGTH) throw invalid('paymasterAndData', 'is shorter than an address');
  const paymaster = normalizeAddress(bytes.slice(0, ADDRESS_LENGTH));
  const none = { paymasterVerificationGasLimit: 0n, paymasterPostOpGasLimit: 0n };
  return { paymaster, paymasterData: `0x${bytes.slice(ADDRESS_LENGTH)}`, ...none };
}

function paymasterOf(raw: RawCompleteOperation, { entryPointVersion }: UserOperation): SentPaymaster | undefined {
  const { paymaster, paymasterSignature } = raw;
  const paymasterData = hexOf(raw.paymasterData, 'paymasterData');
  if (!paymaster || paymaster === '0x') {
    if (paymasterData !== '0x') throw invalid('paymasterData', 'needs a paymaster');
    return undefined;
  }
  const limit = (name: 'paymasterVerificationGasLimit' | 'paymasterPostOpGasLimit'): bigint =>
    parseQuantity(raw[name] ?? undefined, { field: `params[0].${name}`, bits: 128 });
  const sent = {
    paymaster: normalizeAddress(paymaster) as Address,
    paymasterVerificationGasLimit: limit('paymasterVerificationGasLimit'),
    paymasterPostOpGasLimit: limit('paymasterPostOpGasLimit'),
  };
  const signature = paymasterSignature ? hexOf(paymasterSignature, 'paymasterSignature') : undefined;
  if (!hasPaymasterSignature(entryPointVersion)) {
    if (signature === undefined || signature === '0x') return { ...sent, paymasterData };
    throw invalid('paymasterSignature', `does not exist in EntryPoint v${entryPointVersion}`);
  }
  return { ...sent, ...withoutSuffix(paymasterData, signature) };
}

/**
 * Clients send a paymaster's signature on EntryPoint v0.9 in three forms: in a field of its own (viem); in a field,
 * with the magic at the end of the data (rundler); entirely in the data (abstractionkit, Candide). This turns all of
 * them into the first form.
 */
function withoutSuffix(
  data: Hex,
  signature: Hex | undefined,
): Pick<SentPaymaster, 'paymasterData' | 'paymasterSignature'> {
  if (!data.toLowerCase().endsWith(SIGNATURE_MAGIC)) return { paymasterData: data, paymasterSignature: signature };
  const plain = data.slice(0, -SIGNATURE_MAGIC.length);
  if (signature !== undefined) return { paymasterData: plain as Hex, paymasterSignature: signature };
  const digits = 2 * Number(`0x${plain.slice(-LENGTH_DIGITS)}`);
  const end = plain.length - LENGTH_DIGITS;
  if (!(digits <= end - 2)) throw invalid('paymasterData', 'ends before the signature that it names');
  return {
    paymasterData: plain.slice(0, end - digits) as Hex,
    paymasterSignature: `0x${plain.slice(end - digits, end)}`,
  };
}

function hexOf(value: string | null | undefined, name: string): Hex {
  const bytes = value ?? '0x';
  if (bytes.length % 2 === 0) return bytes as Hex;
  throw invalid(name, 'must be bytes: 0x and an even number of hex digits');
}

function invalid(name: string, sentence: string): InvalidParamsError {
  const field = `params[0].${name}`;
  return new InvalidParamsError(field, `${field} ${sentence}.`);
}
