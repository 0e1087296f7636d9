import { max, min, SponsorshipRefusedError } from '@paymaster/domain';
import { BudgetRefusedError, exposureClaims, type BudgetClaim } from '@paymaster/ledger';
import type { Caller } from '../../callers/caller';
import type { PaymentDraft } from './draft-payment';

/** The part of the funding wallet's balance that is the cap of a token without a cap of its own. */
const EXPOSED_PERCENT = 2n;

/**
 * The claims of a payment on the exposure caps; none for the ways that charge in advance. If the token has a cap of its
 * own, that cap holds. Otherwise the cap is the chain's cap or a small part of the wallet, whichever is lower, so that
 * one attack does not empty a small wallet; while settlement is late, the spending brake bounds the token in its place.
 * A sender who owes nothing may owe one operation of any size within the token's cap.
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
  const ownCapWei = terms.token.exposureCapWei ?? undefined;
  const tokenCapWei = ownCapWei ?? min(bounds.tokenExposureCapWei, (walletWei * EXPOSED_PERCENT) / 100n);
  const senderCapWei = max(bounds.tokenSenderExposureCapWei, prechargeWei);
  return exposureClaims({
    ...{ chainId, wallet: terms.fundingWallet, token: terms.token.address, sender: operation.sender, prechargeWei },
    ...{ tokenCapWei, senderCapWei: min(senderCapWei, tokenCapWei), isDefaultCap: ownCapWei === undefined },
  });
}

/**
 * Turns the ledger's refusal of {@link exposedClaims} into a refusal of token mode; returns every other error
 * unchanged.
 */
export function inWordsOfTokenMode(error: unknown): unknown {
  if (!(error instanceof BudgetRefusedError) || error.budget.claim.unit !== 'exposureWei') return error;
  const { reason, message } = error.budget.claim.refusal;
  return new SponsorshipRefusedError(reason, message, [], { capWei: error.budget.limit.toString() });
}
