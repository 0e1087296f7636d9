import type { Caller } from '../callers/caller';
import type { Validity } from '../sponsorship/validity';
import type { PaymentDraft } from './draft-payment';
import type { ExposureHold } from './exposure/token-exposure';

/** Of the funding wallet's balance, in each token whose cap nobody set. */
const EXPOSED_PERCENT = 2n;

/**
 * What the funding wallet stands to lose by a payment of way `batchApproval`. A cap that was set for the token holds as it
 * is; else the chain's does, and a small part of what the wallet has, so that a small one is not emptied in one go.
 *
 * @param walletWei what the wallet has
 */
export function exposureHold(
  { chain }: Caller,
  { terms, operation, prechargeWei }: PaymentDraft,
  { validity, walletWei }: { validity: Validity; walletWei: bigint },
): ExposureHold {
  const { tokenExposureCapWei, tokenSenderExposureCapWei } = chain.config.bounds;
  const capWei = terms.token.exposureCapWei ?? lower(tokenExposureCapWei, (walletWei * EXPOSED_PERCENT) / 100n);
  return {
    fundingWallet: terms.fundingWallet,
    entryPoint: terms.entryPoint,
    sender: operation.sender,
    nonce: operation.nonce,
    token: terms.token.address,
    prechargeWei,
    validUntilSeconds: validity.validUntilSeconds,
    capWei,
    senderCapWei: lower(tokenSenderExposureCapWei, capWei),
  };
}

function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
