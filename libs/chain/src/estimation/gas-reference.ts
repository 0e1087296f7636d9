import {
  byteLength,
  EIP7702_MARKER,
  eip7702AuthOf,
  ENTRY_POINTS,
  factoryOf,
  initCodeOf,
  skipsFactoryOfExisting,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';

/** The gas of the transaction itself. A bundle of one operation is the worst case, because it carries all of it. */
const TRANSACTION_GAS = 21_000n;
/** Copying and hashing, per word of the packed operation. */
const PER_WORD_GAS = 9n;
const ZERO_BYTE_GAS = 4n;
const NON_ZERO_BYTE_GAS = 16n;
/** EIP-7623: the least that a transaction pays per token of call data (a zero byte has 1 token, another byte 4). */
const FLOOR_TOKEN_GAS = 10n;
const TOKENS_PER_NON_ZERO_BYTE = 4n;

/** What a transaction pays for each authorization that it carries (EIP-7702, PER_EMPTY_ACCOUNT_COST). */
const AUTHORIZATION_GAS = 25_000n;

/**
 * The number of non-zero bytes of `handleOpsWords`: selector, addresses, offsets, lengths, and limits and fees of usual
 * size. The nonce is not included; its bytes are counted separately.
 */
const STATIC_NON_ZERO_BYTES = 78;

/**
 * The most gas that counts for a signature. The paymaster's signature does not cover the account's signature. So an
 * attacker may ask with a long signature, land with an empty one, and be paid for bytes that his transaction does not
 * have. The usual signature of one key costs less than this.
 */
const MAX_SIGNATURE_GAS = 2_000n;

/** The least measured gas that counts as used of `callGasLimit` and `paymasterPostOpGasLimit`. */
const LEAST_EXECUTION_GAS = 18_500n;
/** The first operation of a nonce key writes a new slot. */
const FIRST_NONCE_GAS = 17_000n;
/** What every deployment takes at least, and counts in {@link GasReference.leastTransactionGas}. */
export const DEPLOYMENT_GAS = 32_000n;
/** The sequence of a nonce: the low 64 bits. */
const SEQUENCE_BITS = 64;

/** The part of unused gas that the EntryPoint gives the bundler, of the gas that the operation's limits promised. */
const UNUSED_GAS_SHARE = 10n;

/**
 * A bundler's own contract can call the EntryPoint, and make an operation's call data itself from few bytes of the
 * transaction. This is the gas that the contract takes, and that each made byte takes in it (SiphonInflater).
 */
const INFLATER_GAS = 5_000n;
const INFLATED_BYTE_GAS = 1n;

/** The least gas of a bundle of this one operation, computed from its bytes; gas. */
export interface GasReference {
  /** Gas of the transaction that the EntryPoint does not measure: `preVerificationGas` pays for it. */
  readonly preVerificationGas: bigint;
  /** The same gas with an empty signature: the least that an attacker spends of it. */
  readonly leastPreVerificationGas: bigint;
  /** The least that an attacker spends in all. */
  readonly leastTransactionGas: bigint;
  /** The part of it that the calls take: 0, or what the caller knows that they take to set the account up. */
  readonly leastCallGas: bigint;
  /** How much of both numbers an attacker saves if his contract makes the call data. No honest bundler does that. */
  readonly inflatableGas: bigint;
}

/**
 * The least gas that the bundler of an operation has to spend (ERC-4337, "preVerificationGas"). The EntryPoint pays
 * `preVerificationGas` without measuring it, so an attacker who bundles his own operations could profit from it; the
 * gateway refuses more than `maxPreVerificationGasPercent` of this reference.
 *
 * By EIP-7623 a transaction with much call data pays the floor only if it executes little. An attacker decides how much
 * he executes, within the limits that he signed, so the limits count as used up.
 *
 * @param paymasterAndData the final data or the stub: both have one length
 * @param paymasterGas the paymaster's own two limits in sum; gas
 */
export function gasReference(operation: UserOperation, paymasterAndData: Hex, paymasterGas = 0n): GasReference {
  const { entryPointVersion: version, callData, nonce } = operation;
  let nonZero = STATIC_NON_ZERO_BYTES + countNonZeroBytes(`0x${nonce.toString(16).padStart(64, '0')}`);
  let total = ENTRY_POINTS[version].handleOpsWords * 32 + 4;
  const [staticNonZero, staticTotal] = [nonZero, total];
  for (const part of [initCodeOf(operation), callData]) {
    nonZero += countNonZeroBytes(part);
    total += Math.ceil(byteLength(part) / 32) * 32;
  }
  const inflatableGas = inflatable({ nonZero: nonZero - staticNonZero, total: total - staticTotal });
  nonZero += countNonZeroBytes(paymasterAndData);
  total += Math.ceil(byteLength(paymasterAndData) / 32) * 32;
  const zero = BigInt(total - nonZero);
  const unmeasured = ENTRY_POINTS[version].unmeasuredGas + BigInt(Math.ceil(total / 32)) * PER_WORD_GAS;
  const standard = zero * ZERO_BYTE_GAS + BigInt(nonZero) * NON_ZERO_BYTE_GAS + unmeasured;
  const tokens = zero + BigInt(nonZero) * TOKENS_PER_NON_ZERO_BYTE;
  const { callGasLimit, verificationGasLimit } = operation;
  const floor = tokens * FLOOR_TOKEN_GAS - (callGasLimit + verificationGasLimit + paymasterGas);
  const carriesAuthorization = eip7702AuthOf(operation) !== undefined;
  const data = standard > floor ? standard : floor;
  const leastPreVerificationGas = TRANSACTION_GAS + (carriesAuthorization ? AUTHORIZATION_GAS : 0n) + data;
  const isFirst = BigInt.asUintN(SEQUENCE_BITS, nonce) === 0n;
  const measured =
    ENTRY_POINTS[version].leastMeasuredGas +
    (isFirst ? FIRST_NONCE_GAS : 0n) +
    (deploysForSure(operation) ? DEPLOYMENT_GAS : 0n);
  return {
    preVerificationGas: leastPreVerificationGas + signatureGas(operation.signature),
    leastPreVerificationGas,
    leastTransactionGas: leastPreVerificationGas + measured,
    leastCallGas: 0n,
    // An attacker whose contract makes the call data also saves EIP-7623's floor for that data.
    inflatableGas: inflatableGas > 0n ? inflatableGas + data - standard : 0n,
  };
}

/**
 * The marker of a delegation deploys nothing. EntryPoint v0.9 skips the factory of an account that has code, so the sender may have deployed the account before.
 */
function deploysForSure(operation: UserOperation): boolean {
  const factory = factoryOf(operation)?.factory;
  if (factory === undefined || factory === EIP7702_MARKER) return false;
  return !skipsFactoryOfExisting(operation.entryPointVersion);
}

function inflatable({ nonZero, total }: { nonZero: number; total: number }): bigint {
  const bytes = BigInt(total);
  const gas = BigInt(nonZero) * NON_ZERO_BYTE_GAS + (bytes - BigInt(nonZero)) * ZERO_BYTE_GAS;
  return gas - bytes * INFLATED_BYTE_GAS - INFLATER_GAS;
}

function signatureGas(signature: Hex): bigint {
  const nonZero = countNonZeroBytes(signature);
  const zero = Math.ceil(byteLength(signature) / 32) * 32 - nonZero;
  const gas = BigInt(nonZero) * NON_ZERO_BYTE_GAS + BigInt(zero) * ZERO_BYTE_GAS;
  return gas < MAX_SIGNATURE_GAS ? gas : MAX_SIGNATURE_GAS;
}

/**
 * The highest `preVerificationGas` that is within both bounds; gas.
 *
 * @param bounds at most `maxPreVerificationGasPercent` of the reference's `preVerificationGas`, and so much that the
 *   bundler gets back at most `maxBundlerReturnPercent` of the gas that he spends
 * @param provenGas gas that deployment and calls certainly take. With it, the bundler counts as an attacker whose
 *   contract makes the call data ({@link GasReference.inflatableGas}), and the bound on his return counts this gas as
 *   spent. Without it, he counts as a bundler who sends the whole call data in his transaction
 */
export function maxPreVerificationGas(
  reference: GasReference,
  bounds: { readonly maxPreVerificationGasPercent: bigint; readonly maxBundlerReturnPercent: bigint },
  provenGas?: bigint,
): bigint {
  const ofReference = (reference.preVerificationGas * bounds.maxPreVerificationGasPercent) / 100n;
  const sharePercent = bounds.maxBundlerReturnPercent - 100n;
  const surplus = (reference.leastTransactionGas * sharePercent) / 100n;
  const ofTransaction = reference.leastPreVerificationGas + surplus;
  const ofProven = ((provenGas ?? 0n) * sharePercent) / 100n;
  const saved = provenGas === undefined ? 0n : withSurplus(reference.inflatableGas, sharePercent) - ofProven;
  const most = saved > 0n ? ofTransaction - saved : ofTransaction;
  return ofReference < most ? ofReference : most;
}

function withSurplus(gas: bigint, sharePercent: bigint): bigint {
  return (gas * (100n + sharePercent) + 99n) / 100n;
}

/** Bounds on how much unused call gas a bundler may keep. */
export interface UnusedGasTerms {
  /** The paymaster's own limit, whose unused part counts too; gas. */
  readonly paymasterPostOpGasLimit: bigint;
  /** `maxBundlerReturnPercent` of the chain. */
  readonly percent: bigint;
}

/**
 * The highest `callGasLimit` at which the bundler gets back at most a percentage of what his transaction costs, even if
 * the calls use no gas: the EntryPoint gives him a tenth of the unused gas.
 *
 * @param operation the part of its `preVerificationGas` above the reference uses up the same allowance
 * @returns undefined where the EntryPoint does not charge for unused gas
 */
export function unprovenCallGasLimit(
  operation: UserOperation,
  reference: GasReference,
  terms: UnusedGasTerms,
): bigint | undefined {
  const { entryPointVersion: version, preVerificationGas } = operation;
  const { penalizesUnusedGas, forgivenUnusedGas: forgiven } = ENTRY_POINTS[version];
  if (!penalizesUnusedGas) return undefined;
  const left = highestUnprovenPreVerificationGas(reference, terms) - preVerificationGas;
  const bought = left > 0n ? left * UNUSED_GAS_SHARE : 0n;
  const used = LEAST_EXECUTION_GAS + reference.leastCallGas;
  const limit = (bought > forgiven ? bought : forgiven) + used - terms.paymasterPostOpGasLimit;
  return limit > 0n ? limit : 0n;
}

/** The highest `preVerificationGas` with which {@link unprovenCallGasLimit} still allows the operation's calls; gas. */
export function preVerificationGasBesideCalls(
  { entryPointVersion: version, callGasLimit }: UserOperation,
  reference: GasReference,
  terms: UnusedGasTerms,
): bigint {
  const unused = callGasLimit + terms.paymasterPostOpGasLimit - LEAST_EXECUTION_GAS - reference.leastCallGas;
  const { forgivenUnusedGas } = ENTRY_POINTS[version];
  const paid = unused > forgivenUnusedGas ? (unused + UNUSED_GAS_SHARE - 1n) / UNUSED_GAS_SHARE : 0n;
  return highestUnprovenPreVerificationGas(reference, terms) - paid;
}

/**
 * The highest `preVerificationGas` of an operation whose calls use all their gas, so that none is left to the bundler.
 */
function highestUnprovenPreVerificationGas(reference: GasReference, { percent }: UnusedGasTerms): bigint {
  const allowed = (reference.leastTransactionGas * (percent - 100n)) / 100n;
  return reference.leastPreVerificationGas + allowed - withSurplus(reference.inflatableGas, percent - 100n);
}

/** The buffer in which bytes are counted, four at a time for speed: each request has some kilobytes. */
let words = new Uint32Array(1_024);

function countNonZeroBytes(value: Hex): number {
  if (byteLength(value) + 3 > words.byteLength) words = new Uint32Array(byteLength(value));
  const bytes = Buffer.from(words.buffer);
  const length = bytes.write(value.slice(2), 'hex');
  bytes.fill(0, length, length + 3);
  let count = 0;
  for (let at = 0; at < length / 4; at++) {
    const word = words[at] as number;
    // The top bit of each byte that is not zero; then their sum.
    const topBits = (((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word) & 0x80808080;
    count += Math.imul(topBits >>> 7, 0x01010101) >>> 24;
  }
  return count;
}
