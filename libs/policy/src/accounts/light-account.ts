import { ECDSA_STUB, SOLADY_ERC1967, type AccountFamily } from './account-family';
import { readerOf } from './setup-reader';
import { EXECUTE, EXECUTE_BATCH, EXECUTE_BATCH_WITHOUT_VALUES } from './simple-account';

/** `createAccount(address owner, uint256 salt)`. */
const CREATE_ACCOUNT_SELECTOR = '5fbfb9cf';

/**
 * LightAccount 2.0.0 of Alchemy, for EntryPoint v0.7 (alchemyplatform/light-account v2.0.0 `src/common/BaseLightAccount.sol`).
 * Its nonce names no validator, and it has no modules.
 */
export const LIGHT_ACCOUNT: AccountFamily = {
  name: 'LightAccount v2',
  // The kind of the signature in front: a key's (`SignatureType.EOA`).
  stubSignature: `0x00${ECDSA_STUB.slice(2)}`,
  functions: [EXECUTE, EXECUTE_BATCH_WITHOUT_VALUES, EXECUTE_BATCH],
  factories: [
    {
      // permissionless 0.3.7 accounts/light/toLightSmartAccount.ts
      name: 'LightAccountFactory 2.0.0',
      address: '0x0000000000400cdfef5e2714e63d8040b700bc24',
      checkSetup: checkLightAccountSetup,
    },
  ],
  implementations: [
    {
      // The factory's first creation (nonce 1), in its constructor: proven by the test.
      name: 'LightAccount 2.0.0',
      address: '0x8e8e658e22b12ada97b402ff0b044d6a325013c7',
      // `createDeterministicERC1967`: alchemyplatform/light-account broadcast/Deploy_LightAccountFactory.s.sol
      proxies: [SOLADY_ERC1967],
    },
  ],
};

/**
 * Asserts that the call deploys an account: the code is fixed in the factory, and its other functions deploy nothing.
 *
 * @param digits the call to the factory
 * @throws DecodeFailure when it is anything else
 */
export function checkLightAccountSetup(digits: string): void {
  const reader = readerOf(digits, CREATE_ACCOUNT_SELECTOR, 'the factory function');
  reader.address('owner');
  reader.uint256('salt');
  reader.finish();
}
