import { SponsorshipRefusedError } from '@paymaster/domain';
import { BudgetRefusedError, exposureClaims, type BudgetClaim } from '@paymaster/ledger';
import type { Caller } from '../callers/caller';
import type { PaymentDraft } from './draft-payment';

/** Of the funding wallet's balance, in each token whose cap nobody set. */
const EXPOSED_PERCENT = 2n;

/**
 * What a payment asks of the caps on what may stay unpaid; nothing in the ways that charge in advance. A cap that was set
 * for the token holds as it is; else the chain's does, and a small part of what the wallet has, so that a small one is
 * not emptied in one go.
 *
 * @param walletWei what the wallet has
 */
export function exposedClaims(
  { chain }: Caller,
  { terms, operation, prechargeWei }: PaymentDraft,
  walletWei: bigint,
): readonly BudgetClaim[] {
  if (terms.way !== 'batchApproval') return [];
  const { chainId, bounds } = chain.config;
  const tokenCapWei =
    terms.token.exposureCapWei ?? lower(bounds.tokenExposureCapWei, (walletWei * EXPOSED_PERCENT) / 100n);
  return exposureClaims({
    ...{ chainId, wallet: terms.fundingWallet, token: terms.token.address, sender: operation.sender, prechargeWei },
    ...{ tokenCapWei, senderCapWei: lower(bounds.tokenSenderExposureCapWei, tokenCapWei) },
  });
}

/** A refusal of {@link exposedClaims} in the words of token mode; every other error as it is. */
export function inWordsOfTokenMode(error: unknown): unknown {
  if (!(error instanceof BudgetRefusedError) || error.budget.claim.unit !== 'exposureWei') return error;
  const { reason, message } = error.budget.claim.refusal;
  return new SponsorshipRefusedError(reason, message, [], { capWei: error.budget.limit.toString() });
}

function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
