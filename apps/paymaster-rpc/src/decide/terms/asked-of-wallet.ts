import type { PaymasterGasConstants } from '@paymaster/chain';
import {
  ceilDiv,
  eip7702AuthOf,
  ENTRY_POINTS,
  FEE_MARKUP_DENOMINATOR,
  max,
  min,
  type UserOperation,
} from '@paymaster/domain';
import { MEASURED_MARGINS, UNUSED_GAS_SHARE, type OwnLimits } from '@paymaster/gas';
import type { AskedOfWallet } from '../../hold/client-ask';
import type { BundlersCosts } from './bundlers-costs';

/** What is known of an operation when its signature is asked for. */
export interface AskedQuestion {
  /** With the limits and fees that will be signed. */
  readonly operation: UserOperation;
  readonly constants: PaymasterGasConstants;
  readonly feeMarkupMillionths: bigint;
  readonly costs: BundlersCosts;
  /** The limits are this platform's own, unchanged. */
  readonly hasOwnLimits: boolean;
  /** What this platform answered lately for an operation that does the same. */
  readonly measured: OwnLimits | undefined;
  /** Of the head; wei per gas. */
  readonly baseFeeWei: bigint;
  /** The tip that the market pays, or that nodes and the bundler suggest to clients; wei per gas. */
  readonly marketTipWei: bigint;
}

const MILLION = 1_000_000n;
/** What a client network may gain of a wallet in an hour by landing its operations itself; millionths. */
const MOST_GAINED_MILLIONTHS = 20_000n;
const LEAST_ROOM_GAS = 10_000_000n;
const ORDINARY_GAS = 1_000_000n;
/**
 * The part of the price without tip that who bundles for himself keeps, because operations of one bundle share the fixed
 * gas of a transaction: `npm run siphon` finds returns of 1.5 at most, and 1 - 1/1.5 is a third; millionths.
 */
const SHARED_MILLIONTHS = 333_333n;
/**
 * Gas that a bundler spares counts a sixth more: with much call data in bundles of eight to sixteen, the long
 * `npm run siphon` found up to 6 % more than the gas alone.
 */
const SPARED_PERCENT = 117n;
/** Our own answer has as much more for a signature that is not known yet, or has zero bytes; gas. */
const UNKNOWN_SIGNATURE_GAS = 2_500n;
/** Gas that validation costs whoever lands an operation, however little his account uses of a limit that was measured. */
const USUAL_VALIDATION_GAS = 100_000n;
/** What a transaction gets back of an authorization's 25,000 gas where the account exists (EIP-7702). */
const AUTHORIZATION_REFUND_GAS = 12_500n;
/** Our own answer, in percent of the reference, unless bundlers ask more. */
const OWN_PERCENT = 100n + MEASURED_MARGINS.preVerificationPercent;

/** Computes what an operation asks of the funding wallet. Pure; some microseconds. */
export function askedOfWallet(question: AskedQuestion): AskedOfWallet {
  const { operation, measured, hasOwnLimits, baseFeeWei, marketTipWei } = question;
  const { preVerificationGas, callGasLimit } = operation;
  const tipWei = tipOf(operation, baseFeeWei);
  const priceWei = min(operation.maxFeePerGas, baseFeeWei + tipWei);
  const calls = callsGas(operation, hasOwnLimits ? callGasLimit : measured?.callGasLimit);

  const beyondReference = hasOwnLimits ? 0n : max(preVerificationGas - ownPreVerificationGas(question.costs), 0n);
  const beyondTipWei = max(tipWei - marketTipWei, 0n);
  // What was measured is no bound: the account may use all that is signed once it is.
  const expectedGas = preVerificationGas + gasAround(question) + callGasLimit;
  const excessWei =
    (beyondReference + calls.beyond) * priceWei + beyondTipWei * (expectedGas - beyondReference - calls.beyond);

  const keptGas = calls.keptIfUnused + (sparedGas(question) * SPARED_PERCENT) / 100n;
  const billedGas = max(preVerificationGas + gasAround(question, USUAL_VALIDATION_GAS) + calls.keptIfUnused, 1n);
  const chainsPriceWei = baseFeeWei + marketTipWei;
  const canAllBeTip = chainsPriceWei === 0n || hasEqualFees(operation);
  const ofTip = canAllBeTip ? MILLION : (marketTipWei * MILLION) / chainsPriceWei;
  const ofMarket = ofTip + ((MILLION - ofTip) * SHARED_MILLIONTHS) / MILLION;
  const gain = ofMarket + ((MILLION - ofMarket) * min(keptGas, billedGas)) / billedGas;
  return {
    expectedWei: marked(question, expectedGas * priceWei),
    excessWei: marked(question, excessWei),
    isOwnAnswer:
      beyondTipWei === 0n &&
      beyondReference <= UNKNOWN_SIGNATURE_GAS &&
      (hasOwnLimits || isWithin(operation, measured)),
    roomMillionths: (MOST_GAINED_MILLIONTHS * MILLION) / gain,
    leastRoomWei: LEAST_ROOM_GAS * chainsPriceWei,
    ordinaryWei: ORDINARY_GAS * chainsPriceWei,
  };
}

/**
 * The most that a bundler gets above the base fee: the tip, of which a lower base fee leaves him more. Of equal fees it is
 * all above this base fee; wei per gas.
 */
function tipOf(operation: UserOperation, baseFeeWei: bigint): bigint {
  const { maxFeePerGas, maxPriorityFeePerGas } = operation;
  return hasEqualFees(operation) ? max(maxFeePerGas - baseFeeWei, 0n) : maxPriorityFeePerGas;
}

/** The EntryPoint bills equal fees whole: what the base fee falls until the operation lands becomes tip. */
const hasEqualFees = ({ maxFeePerGas, maxPriorityFeePerGas }: UserOperation): boolean =>
  maxFeePerGas === maxPriorityFeePerGas;

/** The most that our own answer asks for an operation as it is now; gas. */
export function mostOwnPreVerificationGas(costs: BundlersCosts): bigint {
  return ownPreVerificationGas(costs) + UNKNOWN_SIGNATURE_GAS;
}

/** What our own answer asks for, of a signature as long as usual; gas. */
function ownPreVerificationGas({ reference, longSignatureGas, l1Gas }: BundlersCosts): bigint {
  const { preVerificationGas, bundlersGas, longSignatureGas: ofCallData } = reference;
  const answered = max(((preVerificationGas - ofCallData) * OWN_PERCENT) / 100n, bundlersGas - ofCallData);
  return answered + l1Gas - (longSignatureGas - ofCallData);
}

/**
 * The tenth of unused call gas that the bundler gets, from v0.7 on.
 *
 * @returns `beyond`: of gas above the measured limit. Where nothing was measured, of all gas. `keptIfUnused`: what he gets
 *   if the calls of a measured operation use nothing
 */
function callsGas({ entryPointVersion, callGasLimit }: UserOperation, measured: bigint | undefined) {
  const { penalizesUnusedGas, forgivenUnusedGas } = ENTRY_POINTS[entryPointVersion];
  const shareOf = (unused: bigint): bigint =>
    penalizesUnusedGas && unused > forgivenUnusedGas ? unused / UNUSED_GAS_SHARE : 0n;
  if (measured === undefined) return { beyond: shareOf(callGasLimit), keptIfUnused: 0n };
  const used = min(measured, callGasLimit);
  return { beyond: shareOf(callGasLimit - used), keptIfUnused: shareOf(used) };
}

/**
 * Gas of our own answer that a bundler can spare: a long signature that is left out, call data that his own contract
 * makes, and the refund of an authorization for an account that exists.
 */
function sparedGas({ operation, costs }: AskedQuestion): bigint {
  const refund = eip7702AuthOf(operation) === undefined ? 0n : AUTHORIZATION_REFUND_GAS;
  return costs.longSignatureGas + costs.reference.sparedDataGas + refund;
}

/** Gas of validation, at most so much, and of the paymaster. On v0.6 one limit is for both. */
function gasAround({ operation, constants }: AskedQuestion, most = operation.verificationGasLimit): bigint {
  const { verificationGasLimit, entryPointVersion } = operation;
  const validation = min(most, verificationGasLimit) + constants.unaccountedGas;
  if (!ENTRY_POINTS[entryPointVersion].packed) return validation;
  return validation + constants.paymasterVerificationGasLimit + constants.paymasterPostOpGasLimit;
}

function isWithin(operation: UserOperation, measured: OwnLimits | undefined): boolean {
  if (!measured) return false;
  const { callGasLimit, verificationGasLimit, preVerificationGas } = operation;
  if (callGasLimit > measured.callGasLimit || verificationGasLimit > measured.verificationGasLimit) return false;
  return preVerificationGas <= measured.preVerificationGas;
}

function marked({ feeMarkupMillionths }: AskedQuestion, wei: bigint): bigint {
  return ceilDiv(wei * feeMarkupMillionths, FEE_MARKUP_DENOMINATOR);
}
