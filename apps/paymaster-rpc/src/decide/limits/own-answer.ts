import { min } from '@paymaster/domain';
import { ClientBoundError } from '@paymaster/ledger';
import type { AskedOfWallet } from '../../hold/client-ask';
import { feesWithinBounds } from '../terms/assumed-fees';
import { estimatedGasLimits, pickLimits } from './gas-limits';
import type { SponsorTerms } from '../terms/sponsor-terms';
import { mostOwnPreVerificationGas } from '../terms/asked-of-wallet';
import { askedOf, comparedGas, ownTipWei, type PolicyQuestion } from '../rules/sponsorship-policy';

/** Terms of sponsoring, or of a payment in a token. */
type Terms = Pick<SponsorTerms, 'stub' | 'constants' | 'feeMarkupMillionths'>;

/**
 * What to do when an operation asks more beyond our own answer than its network has left. Its limits are calculated now,
 * if this process has not calculated them lately: another process may have, and its answer is ours too.
 *
 * @param question with the limits and fees that would have been signed
 * @param terms on which it would have been signed
 * @param sponsor terms of sponsoring, with which limits are calculated
 * @returns what the operation asks, when it is our own answer after all: it passes at once
 * @throws {ClientBoundError} with the limits and fees that pass at once
 * @throws the same error, when it is another
 */
export async function ownAnswerAfter(
  error: unknown,
  question: PolicyQuestion,
  { terms, sponsor }: { terms: Terms; sponsor: SponsorTerms },
): Promise<AskedOfWallet> {
  if (!(error instanceof ClientBoundError) || error.reached.bound !== 'excess') throw error;
  const { caller, operation, account } = question;
  const { ownLimits, fees } = caller.chain;
  const isKnown = (ownLimits.of(operation)?.preVerificationGas ?? 0n) > 0n;
  if (!isKnown) await estimatedGasLimits({ caller, operation, account, terms: sponsor }).catch(() => undefined);
  const compared = comparedGas(question, terms);
  const asked = askedOf(question, terms, compared);
  if (asked.isOwnAnswer) return asked;
  const tipWei = ownTipWei(operation, fees);
  const { bundler, measured: own } = compared;
  // What was answered before may have been for a longer signature, or for lower fees.
  const preVerificationGas = min(own?.preVerificationGas ?? 0n, mostOwnPreVerificationGas(bundler));
  const limits =
    own &&
    Object.entries(pickLimits({ ...own, preVerificationGas })).map(([name, gas]) => [name, gas.toString()] as const);
  const { maxFeePerGas, maxPriorityFeePerGas } = feesWithinBounds(caller, { tipWei, baseFeePercent: 200n });
  throw error.advising({
    ...(limits && Object.fromEntries(limits)),
    maxFeePerGas: maxFeePerGas.toString(),
    maxPriorityFeePerGas: maxPriorityFeePerGas.toString(),
  });
}
