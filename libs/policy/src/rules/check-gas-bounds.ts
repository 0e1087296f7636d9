import { max, type AccountGasLimits } from '@paymaster/domain';
import { PASSKEY_FUNCTIONS } from '../accounts/known-functions';
import type { PolicyReason } from '../policies/policy-reasons';
import { applyRules, pass, refuse, skip, type Finding, type Rule, type Verdict } from '../policies/verdict';

/** Bounds on gas and fees of one chain. A chain's `bounds` in chains.json has this shape. */
export interface GasBounds {
  /** Gas. */
  readonly maxCallGasLimit: bigint;
  /** Gas. */
  readonly maxVerificationGasLimit: bigint;
  /** The maximum fee may be at most this percentage of base fee plus tip. */
  readonly maxFeePercentOfBaseFee: bigint;
  /** What the ceiling of the maximum fee never goes below; wei per gas. */
  readonly feeFloorWei: bigint;
}

export interface GasBoundsInput {
  readonly limits: AccountGasLimits;
  /** The platform calculated the limits: they are not judged. */
  readonly isOwnAnswer?: boolean | undefined;
  /** Wei per gas. */
  readonly maxFeePerGas: bigint;
  /** Wei per gas. */
  readonly maxPriorityFeePerGas: bigint;
  /** The most that is not nonsense for this operation; gas. */
  readonly maxPreVerificationGas: bigint;
  /** Of the pending block; wei per gas. */
  readonly baseFeePerGas: bigint;
  /** The highest tip that the chain's own fees justify; wei per gas. */
  readonly maxPriorityFeePerGasWei: bigint;
  /** What was measured lately for an operation that does the same; without it only the chain's caps hold. Gas. */
  readonly measured?: Pick<AccountGasLimits, 'callGasLimit' | 'verificationGasLimit'> | undefined;
  /** What limits written by hand have for validation by accounts of this kind; gas. */
  readonly handWrittenVerificationGas: bigint;
  /** Whether both fees may be equal, up to the highest tip. */
  readonly allowEqualFees: boolean;
  readonly bounds: GasBounds;
}

type GasField = keyof AccountGasLimits | 'maxFeePerGas' | 'maxPriorityFeePerGas';

/** `value <= limit`, or a refusal that names the field and both numbers: a client has to know what to send. */
function atMost(field: GasField, value: bigint, limit: bigint, reason: PolicyReason): Finding {
  const input = `${value} <= ${limit}`;
  if (value <= limit) return pass(input);
  return refuse(input, {
    reason,
    message: `${field} is too high to be sponsored`,
    details: { field, value: value.toString(), limit: limit.toString() },
    isPublic: true,
  });
}

/** A limit may be this many times what was measured, and a constant: tutorials write limits by hand. */
const MOST_TIMES_MEASURED = 3n;
const HAND_WRITTEN_CALL_GAS = 150_000n;
/** What limits written by hand have for validation by one key; gas. */
const HAND_WRITTEN_KEY_GAS = 250_000n;
/** As Cometh's client sends it for a Safe; viem's Coinbase account sends 800,000. Gas. */
const HAND_WRITTEN_PASSKEY_GAS = 1_000_000n;

/**
 * What limits written by hand have for the validation of such an account; gas.
 *
 * @param shape from `decodeCalls`; undefined where the call data is not understood
 */
export function handWrittenVerificationGas(shape: string | undefined): bigint {
  const isOfOneKey = shape !== undefined && shape !== 'none' && !PASSKEY_FUNCTIONS.has(shape);
  return isOfOneKey ? HAND_WRITTEN_KEY_GAS : HAND_WRITTEN_PASSKEY_GAS;
}

function mostOf(measured: bigint | undefined, handWritten: bigint, cap: bigint): bigint {
  return measured === undefined ? cap : min(cap, measured * MOST_TIMES_MEASURED + handWritten);
}

/**
 * Cometh's client sends twice what viem suggests, which is 120 % of the base fee and the tip. Other clients send the
 * node's gas price; percent of base fee and highest tip.
 */
const MOST_PERCENT_OF_EQUAL_FEES = 250n;

const percentOf = (amount: bigint, percent: bigint): bigint => (amount * percent) / 100n;
/**
 * Below half the base fee an operation lands only after the base fee has fallen by an eighth for six full blocks, and
 * its precharge is next to nothing: it would hold memory and money of the wallet for free.
 */
const LEAST_PERCENT_OF_BASE_FEE = 50n;

// Stryker disable next-line EqualityOperator: either of two equal fees is the same fee
// Stryker disable next-line EqualityOperator: either of two equal limits is the same limit
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** The highest `maxFeePerGas` beside this tip; wei per gas. */
export function highestMaxFeePerGas({
  maxPriorityFeePerGas,
  baseFeePerGas,
  bounds,
}: Pick<GasBoundsInput, 'maxPriorityFeePerGas' | 'baseFeePerGas'> & {
  readonly bounds: Pick<GasBounds, 'feeFloorWei' | 'maxFeePercentOfBaseFee'>;
}): bigint {
  return max(bounds.feeFloorWei, percentOf(baseFeePerGas + maxPriorityFeePerGas, bounds.maxFeePercentOfBaseFee));
}

const GAS_RULES: readonly Rule<GasBoundsInput>[] = [
  {
    name: 'callGasLimit',
    check: ({ limits: { callGasLimit }, isOwnAnswer, measured, bounds }) =>
      atMost(
        'callGasLimit',
        callGasLimit,
        isOwnAnswer ? callGasLimit : mostOf(measured?.callGasLimit, HAND_WRITTEN_CALL_GAS, bounds.maxCallGasLimit),
        'CALL_GAS_LIMIT_TOO_HIGH',
      ),
  },
  {
    name: 'verificationGasLimit',
    check: ({ limits: { verificationGasLimit }, isOwnAnswer, measured, handWrittenVerificationGas, bounds }) => {
      const cap = bounds.maxVerificationGasLimit;
      return atMost(
        'verificationGasLimit',
        verificationGasLimit,
        isOwnAnswer ? verificationGasLimit : mostOf(measured?.verificationGasLimit, handWrittenVerificationGas, cap),
        'VERIFICATION_GAS_LIMIT_TOO_HIGH',
      );
    },
  },
  {
    // Goes to the bundler whole, used or not.
    name: 'preVerificationGas',
    check: ({ limits: { preVerificationGas }, isOwnAnswer, maxPreVerificationGas }) =>
      atMost(
        'preVerificationGas',
        preVerificationGas,
        isOwnAnswer ? preVerificationGas : maxPreVerificationGas,
        'PRE_VERIFICATION_GAS_TOO_HIGH',
      ),
  },
  {
    // Invalid everywhere: the EntryPoint would bill maxFeePerGas, estimators and bundlers reject it.
    name: 'maxPriorityFeePerGas <= maxFeePerGas',
    check: ({ maxFeePerGas, maxPriorityFeePerGas }) =>
      atMost('maxPriorityFeePerGas', maxPriorityFeePerGas, maxFeePerGas, 'MAX_PRIORITY_FEE_ABOVE_MAX_FEE'),
  },
  {
    name: 'maxFeePerGas >= half the base fee',
    check: ({ maxFeePerGas, baseFeePerGas }) => {
      const least = percentOf(baseFeePerGas, LEAST_PERCENT_OF_BASE_FEE);
      const input = `${maxFeePerGas} >= ${least}`;
      if (maxFeePerGas >= least) return pass(input);
      return refuse(input, {
        reason: 'MAX_FEE_PER_GAS_TOO_LOW',
        message: 'maxFeePerGas is so far below the base fee that the operation could not be included',
        details: { field: 'maxFeePerGas', value: maxFeePerGas.toString(), limit: least.toString() },
        isPublic: true,
      });
    },
  },
  {
    // The EntryPoint bills equal fees whole, whatever the base fee is (its "legacy" case). What they bring a bundler
    // above the market's price is counted for his network.
    name: 'equalFees',
    check: ({ maxFeePerGas, maxPriorityFeePerGas, maxPriorityFeePerGasWei, baseFeePerGas, allowEqualFees }) => {
      if (baseFeePerGas === 0n) return skip('the chain has no base fee');
      if (maxFeePerGas !== maxPriorityFeePerGas) return pass(`${maxFeePerGas} != ${maxPriorityFeePerGas}`);
      if (maxFeePerGas <= baseFeePerGas) return skip('nothing above the base fee');
      const limit = allowEqualFees
        ? percentOf(baseFeePerGas + maxPriorityFeePerGasWei, MOST_PERCENT_OF_EQUAL_FEES)
        : min(maxPriorityFeePerGasWei, maxFeePerGas - 1n);
      const input = `${maxFeePerGas} <= ${limit}`;
      if (maxFeePerGas <= limit) return pass(input);
      return refuse(input, {
        reason: 'LEGACY_FEES_REFUSED',
        message: allowEqualFees
          ? 'maxPriorityFeePerGas equal to maxFeePerGas is too high to be sponsored'
          : 'maxPriorityFeePerGas equal to maxFeePerGas is not sponsored on a chain with a base fee',
        details: { field: 'maxPriorityFeePerGas', value: maxPriorityFeePerGas.toString(), limit: limit.toString() },
        isPublic: true,
      });
    },
  },
  {
    name: 'maxPriorityFeePerGas',
    // All of it is the bundler's.
    check: ({ maxFeePerGas, maxPriorityFeePerGas, maxPriorityFeePerGasWei, baseFeePerGas }) =>
      baseFeePerGas > 0n && maxFeePerGas === maxPriorityFeePerGas
        ? skip('the fees are equal')
        : atMost(
            'maxPriorityFeePerGas',
            maxPriorityFeePerGas,
            maxPriorityFeePerGasWei,
            'MAX_PRIORITY_FEE_PER_GAS_TOO_HIGH',
          ),
  },
  {
    name: 'maxFeePerGas',
    check: ({ maxFeePerGas, maxPriorityFeePerGas, baseFeePerGas, bounds }) =>
      atMost(
        'maxFeePerGas',
        maxFeePerGas,
        highestMaxFeePerGas({ maxPriorityFeePerGas, baseFeePerGas, bounds }),
        'MAX_FEE_PER_GAS_TOO_HIGH',
      ),
  },
];

/**
 * Whether gas limits and fees of an operation are plausible. Whoever bundles an operation is paid what its fields
 * say, so inflated ones are a way to drain the funding wallet.
 */
export function checkGasBounds(input: GasBoundsInput): Verdict {
  return applyRules(GAS_RULES, input);
}
