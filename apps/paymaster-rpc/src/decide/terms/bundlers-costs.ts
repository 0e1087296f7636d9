import { max, type Hex, type UserOperation } from '@paymaster/domain';
import { gasReference, type GasReference } from '@paymaster/gas';
import type { Caller } from '../../callers/caller';
import type { SponsorTerms } from './sponsor-terms';

/** What a bundle of one operation takes, whatever the operation does. */
export interface BundlersCosts {
  readonly reference: GasReference;
  /** What L1 data takes of `preVerificationGas` by our own answer; zero if the chain is not a rollup. Gas. */
  readonly l1Gas: bigint;
  /** The most of it that bundlers ask honest clients; gas. */
  readonly highestL1Gas: bigint;
  /** What a signature longer than usual takes of `preVerificationGas`, with its L1 data; gas. */
  readonly longSignatureGas: bigint;
}

/** The signature of one key. */
const USUAL_SIGNATURE_DIGITS = 2 + 2 * 65;

/**
 * Counts the operation's bytes, so call it once for each operation that is signed.
 *
 * @throws {DependencyUnavailableError} `chain`, when it is a rollup whose L1 data fee is not known
 */
export function bundlersCosts(
  { caller, operation }: { readonly caller: Pick<Caller, 'chain'>; readonly operation: UserOperation },
  { stub }: Pick<SponsorTerms, 'stub'>,
): BundlersCosts {
  const { head, l1Fees, config } = caller.chain;
  const { paymasterAndData } = stub;
  const { maxFeePerGas, maxPriorityFeePerGas, callGasLimit } = operation;
  const reference = gasReference(operation, paymasterAndData, paymasterGasOf(stub));
  const priceWei = head.baseFeePerGasWei() + maxPriorityFeePerGas;
  const gasPriceWei = maxFeePerGas < priceWei ? maxFeePerGas : priceWei;
  const transactionGas = reference.transactionGas + callGasLimit;
  const request = { operation, paymasterAndData, gasPriceWei, transactionGas };
  const { expected: l1Gas, highest } = l1Fees.preVerificationGas(request);
  const highestL1Gas = max(highest, (l1Gas * config.bounds.maxL1GasPercent) / 100n);
  let { longSignatureGas } = reference;
  if (longSignatureGas > 0n && l1Gas > 0n) {
    const signature = operation.signature.slice(0, USUAL_SIGNATURE_DIGITS) as Hex;
    longSignatureGas +=
      l1Gas - l1Fees.preVerificationGas({ ...request, operation: { ...operation, signature } }).expected;
  }
  return { reference, l1Gas, highestL1Gas, longSignatureGas };
}

function paymasterGasOf({ paymasterGasLimits }: SponsorTerms['stub']): bigint {
  return paymasterGasLimits.paymasterVerificationGasLimit + paymasterGasLimits.paymasterPostOpGasLimit;
}
