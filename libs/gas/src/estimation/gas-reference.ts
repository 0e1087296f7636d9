import {
  byteLength,
  eip7702AuthOf,
  ENTRY_POINTS,
  initCodeOf,
  isPacked,
  max,
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

/** What a contract takes that makes call data in memory, and each byte in it. */
const MAKER_GAS = 5_000n;
const MADE_BYTE_GAS = 1n;

/** Gas of the usual signature of one key, and of what account families put around it. */
const USUAL_SIGNATURE_GAS = 2_000n;

/** What a bundle of this one operation takes, computed from its bytes; gas. */
export interface GasReference {
  /** Gas of the transaction that the EntryPoint does not measure: `preVerificationGas` pays for it. */
  readonly preVerificationGas: bigint;
  /** The part of it that is there for a signature longer than usual, which may be left out when the operation lands. */
  readonly longSignatureGas: bigint;
  /** What a bundler saves at most whose own contract makes the operation's call data from few bytes in memory. */
  readonly sparedDataGas: bigint;
  /** Gas that the transaction takes besides the account's validation and calls. */
  readonly transactionGas: bigint;
  /** The most `preVerificationGas` that the formulas of bundlers in use ask for. */
  readonly bundlersGas: bigint;
}

/**
 * The gas that the bundler of an operation has to spend and that the EntryPoint does not measure (ERC-4337,
 * "preVerificationGas"). The whole signature that is sent counts.
 *
 * By EIP-7623 a transaction with much call data pays the floor only if it executes little. How much it executes is not
 * known before it lands, so the limits count as used up.
 *
 * @param paymasterAndData the final data or the stub: both have one length
 * @param paymasterGas the paymaster's own two limits in sum; gas
 */
export function gasReference(operation: UserOperation, paymasterAndData: Hex, paymasterGas = 0n): GasReference {
  const { entryPointVersion: version, callData, nonce, signature } = operation;
  const initCode = initCodeOf(operation);
  const ofNonce = countNonZeroBytes(`0x${nonce.toString(16).padStart(64, '0')}`);
  const asked = { nonZero: countNonZeroBytes(initCode) + countNonZeroBytes(callData), total: padded(initCode) + padded(callData) }; // prettier-ignore
  const { handleOpsWords, unmeasuredGas, leastMeasuredGas } = ENTRY_POINTS[version];
  const nonZero = STATIC_NON_ZERO_BYTES + ofNonce + asked.nonZero + countNonZeroBytes(paymasterAndData);
  const total = handleOpsWords * 32 + 4 + asked.total + padded(paymasterAndData);
  const ofSignature = countNonZeroBytes(signature);
  const signatureGas = bytesGas({ nonZero: ofSignature, total: padded(signature) });
  const unmeasured = unmeasuredGas + BigInt(Math.ceil(total / 32)) * PER_WORD_GAS;
  const standard = bytesGas({ nonZero, total }) + signatureGas + unmeasured;
  const tokens = tokensOf({ nonZero: nonZero + ofSignature, total: total + padded(signature) });
  const floor = tokens * FLOOR_TOKEN_GAS - (operation.callGasLimit + operation.verificationGasLimit + paymasterGas);
  const authorizationGas = eip7702AuthOf(operation) === undefined ? 0n : AUTHORIZATION_GAS;
  const preVerificationGas = TRANSACTION_GAS + authorizationGas + max(standard, floor);
  const ofBundlers = bundlersGas(operation, { ...asked, nonZero: asked.nonZero + ofNonce, paymasterAndData });
  const longSignatureGas = max(signatureGas - USUAL_SIGNATURE_GAS, 0n);
  const madeGas = bytesGas(asked) - BigInt(asked.total) * MADE_BYTE_GAS - MAKER_GAS;
  // Who sends little call data does not pay EIP-7623's floor either.
  const floorsGas = max(preVerificationGas, ofBundlers) - (TRANSACTION_GAS + authorizationGas + standard);
  return {
    preVerificationGas,
    longSignatureGas,
    sparedDataGas: max(madeGas, 0n) + (madeGas > 0n || longSignatureGas > 0n ? max(floorsGas, 0n) : 0n),
    transactionGas: preVerificationGas + leastMeasuredGas,
    bundlersGas: ofBundlers,
  };
}

/** Bytes of call data, of which those that are not zero cost more. */
interface Bytes {
  readonly nonZero: number;
  readonly total: number;
}

const padded = (value: Hex): number => Math.ceil(byteLength(value) / 32) * 32;

function bytesGas({ nonZero, total }: Bytes): bigint {
  return BigInt(nonZero) * NON_ZERO_BYTE_GAS + BigInt(total - nonZero) * ZERO_BYTE_GAS;
}

function tokensOf({ nonZero, total }: Bytes): bigint {
  return BigInt(total - nonZero) + BigInt(nonZero) * TOKENS_PER_NON_ZERO_BYTE;
}

/**
 * The operation alone in the form of its EntryPoint, ABI-encoded: its words without what its bytes fields hold, and the
 * bytes of them that are not zero when all limits and fees are as large as they can be. Bundlers count them so.
 */
const ENCODED = {
  packed: { words: 14, nonZero: 1 + 20 + 3 * 32 + 8 * 2 },
  v06: { words: 16, nonZero: 1 + 20 + 4 * 16 + 32 + 8 * 2 },
} as const;

/**
 * Gas per operation that bundlers in use count besides call data and the transaction: alto 0.0.20 (`fixedGasOverhead`
 * and `perUserOp` of its preVerificationGasCalculator) and rundler 0.10 (`per_user_op_v0_6_gas`,
 * `per_user_op_v0_7_gas` of its chain specification).
 */
const BUNDLERS_OVERHEAD_GAS = { alto: 17_090n, rundler: { packed: 19_500n, v06: 18_300n } } as const;
/** Alto counts call data by words, and the whole operation where the account takes it whole; thousandths of gas. */
const ALTO_WORD_GAS_THOUSANDTHS = 9_200n;
const ALTO_WHOLE_OPERATION_GAS = 1_610n;
const EXECUTE_USER_OP = '0x8dd7712f';
const RUNDLER_WORD_GAS = 4n;
/** Rundler counts the authorization itself too (EIP-7702, PER_AUTH_BASE_COST). */
const RUNDLER_AUTHORIZATION_GAS = AUTHORIZATION_GAS + 12_500n;

/**
 * What alto and rundler tell clients to send, whichever is more; both count the fields that they do not know yet as if
 * no byte were zero. Alto's floor of EIP-7623 is included, which it counts where it is told to.
 *
 * @param asked the bytes of nonce, `initCode` and call data
 */
function bundlersGas(
  operation: UserOperation,
  { nonZero, total, paymasterAndData }: Bytes & { paymasterAndData: Hex },
): bigint {
  const packed = isPacked(operation);
  const { callData, signature, callGasLimit } = operation;
  const form = packed ? ENCODED.packed : ENCODED.v06;
  const unknown = [byteLength(paymasterAndData), byteLength(signature)] as const;
  const encoded = (lengths: readonly number[]): Bytes => ({
    nonZero: form.nonZero + nonZero + lengths.reduce((sum, length) => sum + length),
    total: form.words * 32 + total + lengths.reduce((sum, length) => sum + Math.ceil(length / 32) * 32, 0),
  });
  const hasAuthorization = eip7702AuthOf(operation) !== undefined;
  // Of v0.6 alto fills in as many bytes as these fields have hexadecimal digits.
  const alto = encoded(packed ? unknown : unknown.map((bytes) => 2 * bytes + 2));
  const words = callData.startsWith(EXECUTE_USER_OP)
    ? Math.ceil(alto.total / 32)
    : Math.ceil(byteLength(callData) / 32);
  const wordsGas = (BigInt(words) * ALTO_WORD_GAS_THOUSANDTHS) / 1_000n + ALTO_WHOLE_OPERATION_GAS;
  const altoGas = bytesGas(alto) + BUNDLERS_OVERHEAD_GAS.alto + wordsGas + (hasAuthorization ? AUTHORIZATION_GAS : 0n);
  const altoFloorGas = tokensOf(alto) * FLOOR_TOKEN_GAS - callGasLimit / UNUSED_GAS_SHARE;
  const rundler = encoded(unknown);
  const rundlerGas =
    bytesGas(rundler) +
    BigInt(rundler.total / 32) * RUNDLER_WORD_GAS +
    (packed ? BUNDLERS_OVERHEAD_GAS.rundler.packed : BUNDLERS_OVERHEAD_GAS.rundler.v06) +
    (hasAuthorization ? RUNDLER_AUTHORIZATION_GAS : 0n);
  return TRANSACTION_GAS + max(max(altoGas, altoFloorGas), rundlerGas);
}

/** The part of unused call gas that an EntryPoint from v0.7 on gives the bundler. */
export const UNUSED_GAS_SHARE = 10n;

/** Numbers of {@link maxPreVerificationGas}: each side was measured (docs/adr/0025). */
const MOST_OF_REFERENCE_PERCENT = 150n;
const MOST_ABOVE_REFERENCE_GAS = 25_000n;
const MOST_OF_BUNDLERS_PERCENT = 110n;

/**
 * The highest `preVerificationGas` that is not nonsense, without the part for L1 data: what any bundler in use asks, and
 * what tutorials write. How much is taken of a wallet by it is bounded in money; gas.
 */
export function maxPreVerificationGas({ preVerificationGas, bundlersGas }: GasReference): bigint {
  const ofReference = max(
    (preVerificationGas * MOST_OF_REFERENCE_PERCENT) / 100n,
    preVerificationGas + MOST_ABOVE_REFERENCE_GAS,
  );
  return max(ofReference, (bundlersGas * MOST_OF_BUNDLERS_PERCENT) / 100n);
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
