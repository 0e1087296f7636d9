import { normalizeAddress } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import type { Caller } from '../../callers/caller';
import type { PaymentDraft } from './draft-payment';
import { exposedClaims } from './exposed-claims';

const ETHER = 10n ** 18n;
const SENDER_CAP_WEI = ETHER / 100n;
const TOKEN_CAP_WEI = ETHER / 20n;

/** The caps of token and sender, of a wallet that has a hundred ether. */
function capsOf(prechargeWei: bigint): readonly bigint[] {
  const bounds = { tokenExposureCapWei: TOKEN_CAP_WEI, tokenSenderExposureCapWei: SENDER_CAP_WEI };
  const address = () => normalizeAddress(randomAddress());
  const terms = { way: 'batchApproval', token: { address: address() }, fundingWallet: address() };
  const caller = { chain: { config: { chainId: 1, bounds } } } as unknown as Caller;
  const draft = { terms, operation: { sender: address() }, prechargeWei } as unknown as PaymentDraft;
  return exposedClaims(caller, draft, 100n * ETHER).map(({ limit }) => limit);
}

it('lets a sender who owes nothing owe one operation of any size that the cap of the token has room for', () => {
  expect(capsOf(ETHER / 1_000n)).toEqual([TOKEN_CAP_WEI, SENDER_CAP_WEI]);
  expect(capsOf(2n * SENDER_CAP_WEI)).toEqual([TOKEN_CAP_WEI, 2n * SENDER_CAP_WEI]);
  expect(capsOf(2n * TOKEN_CAP_WEI)).toEqual([TOKEN_CAP_WEI, TOKEN_CAP_WEI]);
});
