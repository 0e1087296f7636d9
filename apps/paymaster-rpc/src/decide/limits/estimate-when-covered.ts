import type { AccountGasLimits, UserOperation } from '@paymaster/domain';
import type { Span } from '@paymaster/tracing';
import { neededOf } from '../../hold/operation-key';
import { estimatedGasLimits, prechargeOf } from './gas-limits';
import type { SponsorTerms } from '../terms/sponsor-terms';
import { judgeGas, type PolicyQuestion } from '../rules/sponsorship-policy';

/**
 * Asks the bundler for an estimate, after it has checked that the fees are plausible and the wallet can pay: bundlers
 * misjudge an operation whose paymaster is poor.
 *
 * @param span what the estimate is a part of; the request when absent
 * @param isPaidInToken the payment will be simulated after the estimate
 * @param isQuote true: nothing will be signed, so an unknown balance of the wallet does not refuse
 * @throws {SponsorshipRefusedError} naming the fee that is out of bounds
 * @throws {FundingWalletError} FUNDING_WALLET_BALANCE_TOO_LOW
 * @throws {DependencyUnavailableError} when the ledger cannot be asked
 * @throws what {@link estimatedGasLimits} throws
 */
export async function estimateWhenCovered(
  question: PolicyQuestion,
  terms: SponsorTerms,
  {
    isQuote = false,
    isPaidInToken = false,
    span = question.caller.span,
  }: { isQuote?: boolean; isPaidInToken?: boolean; span?: Span } = {},
): Promise<AccountGasLimits> {
  const { caller, operation, account } = question;
  const unlimited: UserOperation = { ...operation, callGasLimit: 0n, verificationGasLimit: 0n, preVerificationGas: 0n };
  judgeGas({ caller, operation: unlimited, trace: [] }, terms);
  const { funding } = caller.chain;
  const funds = neededOf(question, terms, prechargeOf(unlimited, terms));
  await (isQuote ? funding.assertCoversIfKnown(funds) : funding.assertCovers(funds));
  return span.call('estimate').until(estimatedGasLimits({ caller, operation, account, terms, isPaidInToken }));
}
