import type { Address } from '@paymaster/domain';
import { ECDSA_STUB, type AccountFamily } from './account-family';
import { expectKnown, readerOf, UnknownSetup } from './setup-reader';
import { EXECUTE, EXECUTE_BATCH } from './simple-account';

/** Check the signature of one key: what the account runs by delegatecall while it is set up and when it validates. */
const VERIFICATION_FACETS: ReadonlySet<Address> = new Set<Address>([
  // permissionless 0.3.7 accounts/trust/toTrustSmartAccount.ts (TRUST_ADDRESSES)
  '0x81b9e3689390c7e74cf526594a105dea21a8cdd5',
  // trustwallet/barz deployments/mainnet/Secp256k1VerificationFacet.json
  '0x58cb9abe27fcd6f72354e98cf5cc46beaa2182df',
]);

/** `createAccount(address verificationFacet, bytes owner, uint256 salt)`. */
const CREATE_ACCOUNT_SELECTOR = '296601cd';
const OWNER_DIGITS = 40;

/**
 * Barz of Trust Wallet, for EntryPoint v0.6 (trustwallet/barz `contracts/facets/AccountFacet.sol`). It is a diamond: what
 * a deployed one runs is in its own storage, so none counts as known.
 */
export const BARZ: AccountFamily = {
  name: 'Barz',
  canHavePasskeys: true,
  stubSignature: ECDSA_STUB,
  functions: [EXECUTE, EXECUTE_BATCH],
  forwards: [{ signature: 'diamondCut((address,uint8,bytes4[])[],address,bytes)', selector: '0x1f931c1c' }],
  factories: [
    {
      // permissionless 0.3.7 accounts/trust/toTrustSmartAccount.ts; trustwallet/barz deployments/mainnet/BarzFactory.json
      name: 'Barz factory',
      address: '0x729c310186a57833f622630a16d13f710b83272a',
      checkSetup: checkBarzSetup,
    },
  ],
};

/**
 * Asserts that the account starts with a known verification facet: its caller chooses it, and the account runs it.
 *
 * @param digits the call to the factory
 * @throws DecodeFailure when it is anything else
 */
export function checkBarzSetup(digits: string): void {
  const reader = readerOf(digits, CREATE_ACCOUNT_SELECTOR, 'the factory function');
  expectKnown(VERIFICATION_FACETS, reader.address('verification facet'), 'verification facet');
  const ownerOffset = reader.smallNumber('offset of owner');
  reader.uint256('salt');
  reader.expectTail(ownerOffset, 'owner');
  if (reader.bytes('owner').length !== OWNER_DIGITS) throw new UnknownSetup('the owner is not an address');
  reader.finish();
}
