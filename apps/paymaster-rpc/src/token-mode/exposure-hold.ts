import type { Caller } from '../callers/caller';
import type { Validity } from '../sponsorship/validity';
import type { PaymentDraft } from './draft-payment';
import type { ExposureHold } from './exposure/token-exposure';

/** What the funding wallet stands to lose by a payment of way `batchApproval`. */
export function exposureHold(
  { chain }: Caller,
  { terms, operation, prechargeWei }: PaymentDraft,
  { validUntilSeconds }: Validity,
): ExposureHold {
  const { bounds } = chain.config;
  return {
    fundingWallet: terms.fundingWallet,
    entryPoint: terms.entryPoint,
    sender: operation.sender,
    nonce: operation.nonce,
    token: terms.token.address,
    prechargeWei,
    validUntilSeconds,
    capWei: terms.token.exposureCapWei ?? bounds.tokenExposureCapWei,
    senderCapWei: bounds.tokenSenderExposureCapWei,
  };
}
