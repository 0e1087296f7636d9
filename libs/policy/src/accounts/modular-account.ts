import { ECDSA_STUB, SOLADY_ERC1967, type AccountFamily } from './account-family';
import { readerOf } from './setup-reader';
import { EXECUTE, EXECUTE_BATCH_OF_TUPLES } from './simple-account';

/** `createSemiModularAccount(address owner, uint256 salt)`. */
const CREATE_SELECTOR = '8b4e464e';

/**
 * What a nonce key ends with where the account's own signer validates: its number, 0, and nothing asked for but that he
 * may sign any call. Other bits there install modules from the signature before any call is made ("deferred actions"),
 * and other numbers are modules. @account-kit/smart-contracts 4.88.5 ma-v2/utils.ts, `buildFullNonceKey`.
 */
const OWN_SIGNER = '0000000001';
/** Of a nonce: where these digits of its key are. */
const [KEY_END_FROM, KEY_END_TO] = [38, 48];

/**
 * ModularAccount 2 of Alchemy as its SDK makes it: a semi-modular account, whose owner is in its code
 * (alchemyplatform/modular-account v2.0.0 `src/account/SemiModularAccountBytecode.sol`).
 */
export const MODULAR_ACCOUNT: AccountFamily = {
  name: 'ModularAccount v2',
  // Who validates, and the kind of the signature, in front: the account's own signer, with a key.
  stubSignature: `0xff00${ECDSA_STUB.slice(2)}`,
  functions: [EXECUTE, EXECUTE_BATCH_OF_TUPLES],
  nonceLayout: {
    name: 'modularAccount',
    validatorOf: (digits) => (digits.slice(KEY_END_FROM, KEY_END_TO) === OWN_SIGNER ? '0'.repeat(40) : undefined),
    isLoose: true,
  },
  factories: [
    {
      // alchemyplatform/modular-account v2.0.0 deployments/v2/Deployments.md has the salt, and
      // broadcast/DeployFactory.s.sol/8453/run-1734487616.json the creation code, which the deterministic deployment
      // proxy (0x4e59…956c) was called with. The implementation is immutable there; the owner can only manage the stake.
      name: 'ModularAccount 2 AccountFactory',
      address: '0x00000000000017c61b5bee81050ec8efc9c6fecd',
      checkSetup: checkModularAccountSetup,
    },
  ],
  implementations: [
    {
      // broadcast/DeployAccounts.s.sol of the same release
      name: 'SemiModularAccountBytecode 2.0.0',
      address: '0x000000000000c5a9089039570dd36455b5c07383',
      proxies: [{ ...SOLADY_ERC1967, ownBytes: 20 }],
    },
  ],
};

/**
 * Asserts that the call deploys a semi-modular account. The factory's other functions install a module, or take a passkey.
 *
 * @param digits the call to the factory
 * @throws DecodeFailure when it is anything else
 */
export function checkModularAccountSetup(digits: string): void {
  const reader = readerOf(digits, CREATE_SELECTOR, 'the factory function');
  reader.address('owner');
  reader.uint256('salt');
  reader.finish();
}
