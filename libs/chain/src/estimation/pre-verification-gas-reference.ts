import { byteLength, initCodeOf, type Hex, type UserOperation } from '@paymaster/domain';

/** The transaction itself, carried by one operation: a bundle of one is the worst case. */
const TRANSACTION_GAS = 21_000n;
/** What an EntryPoint spends per operation outside of what it measures (eth-infinitism's reference bundler). */
const PER_OPERATION_GAS = 18_300n;
/** Copying and hashing, per word of the packed operation. */
const PER_WORD_GAS = 4n;
const ZERO_BYTE_GAS = 4n;
const NON_ZERO_BYTE_GAS = 16n;
/** EIP-7623: the least a transaction pays per call-data token (a zero byte is 1, another one 4 of them). */
const FLOOR_TOKEN_GAS = 10n;
const TOKENS_PER_NON_ZERO_BYTE = 4n;
/** What the EntryPoint itself measures and charges for is part of that least: two signature checks at the minimum. */
const LEAST_MEASURED_GAS = 40_000n;

/** What a transaction pays for each authorization that it carries (EIP-7702, PER_EMPTY_ACCOUNT_COST). */
const AUTHORIZATION_GAS = 25_000n;

/** Head and length words of the encoded operation: offsets, small numbers, fees; about a third is not zero. */
const STATIC_WORDS = 16n;
const STATIC_NON_ZERO_BYTES = 180n;

/**
 * Nobody signs the signature: whoever bundles may pad it and would be paid for the padding. Single signers, passkeys
 * (WebAuthn, below 800 bytes) and Safes of several owners are below this; longer ones pay the rest out of the chain's
 * percentage.
 */
const MAX_COUNTED_SIGNATURE_BYTES = 1_000;

/**
 * What `preVerificationGas` should be about, computed locally from the bytes (ERC-4337, "preVerificationGas").
 * The EntryPoint pays this field without measuring it, so whoever bundles his own operations can fill his pocket
 * with it; the gateway refuses more than `maxPreVerificationGasPercent` of this reference.
 *
 * L1 data fees of rollups are not in it: chains that charge them through preVerificationGas need a higher percentage.
 *
 * @param paymasterAndData the final or the stub: they have one length
 */
export function preVerificationGasReference(operation: UserOperation, paymasterAndData: Hex): bigint {
  const signature: Hex = `0x${operation.signature.slice(2, 2 + 2 * MAX_COUNTED_SIGNATURE_BYTES)}`;
  const parts = [initCodeOf(operation), operation.callData, paymasterAndData, signature];
  let nonZero = STATIC_NON_ZERO_BYTES;
  let total = STATIC_WORDS * 32n;
  for (const part of parts) {
    nonZero += BigInt(countNonZeroBytes(part));
    total += BigInt(Math.ceil(byteLength(part) / 32) * 32);
  }
  const zero = total - nonZero;
  const overhead = PER_OPERATION_GAS + (total / 32n) * PER_WORD_GAS;
  const standard = zero * ZERO_BYTE_GAS + nonZero * NON_ZERO_BYTE_GAS + overhead;
  const floor = (zero + nonZero * TOKENS_PER_NON_ZERO_BYTE) * FLOOR_TOKEN_GAS - LEAST_MEASURED_GAS;
  const carriesAuthorization = operation.entryPointVersion !== '0.6' && operation.eip7702Auth !== undefined;
  return TRANSACTION_GAS + (carriesAuthorization ? AUTHORIZATION_GAS : 0n) + (standard > floor ? standard : floor);
}

function countNonZeroBytes(value: Hex): number {
  const bytes = Buffer.from(value.slice(2), 'hex');
  let count = 0;
  // By index: an iterator over a Buffer takes twice as long, and every request counts its bytes several times.
  for (let index = 0; index < bytes.length; index++) if (bytes[index] !== 0) count += 1;
  return count;
}
