import { ECDSA_STUB, SOLADY_ERC1967, type AccountFamily, type AccountProxy } from './account-family';
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

/** OpenZeppelin's ERC1967Proxy, as the published LightAccountFactory 1.1.0 deploys it. */
const PROXY_1_1: AccountProxy = {
  codeHash: '0xb26a7586edc0cc4bfd2e1ed67ec8f0eeb5673658683376175868e1e0d635a21d',
  implementationSlot: 'erc1967',
};

/**
 * LightAccount 1.1.0, for EntryPoint v0.6 (alchemyplatform/light-account v1.1.0 `src/LightAccount.sol`), which has no
 * modules either.
 */
export const LIGHT_ACCOUNT_1: AccountFamily = {
  name: 'LightAccount v1',
  stubSignature: ECDSA_STUB,
  functions: [EXECUTE, EXECUTE_BATCH_WITHOUT_VALUES, EXECUTE_BATCH],
  factories: [
    {
      // alchemyplatform/light-account v1.1.0 script/Deploy_LightAccountFactory.s.sol has the salt, and the hash of the
      // creation code (0x23fb…ba3e), which give this address; broadcast/Deploy_LightAccountFactory.s.sol has that code.
      name: 'LightAccountFactory 1.1.0',
      address: '0x00004ec70002a32400f8ae005a26081065620d20',
      checkSetup: checkLightAccountSetup,
      onChain: { codeHash: '0xc4e5c04a77ba3345bbd5198a296e1ec5ebec5d28f508a4afa7af5c481fc70e1c' },
    },
  ],
  implementations: [
    {
      // The factory's first creation, in its constructor: proven by the test.
      name: 'LightAccount 1.1.0',
      address: '0xae8c656ad28f2b59a196ab61815c16a0ae1c3cba',
      proxies: [PROXY_1_1],
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
