import { ECDSA_STUB, type AccountFamily } from './account-family';
import { readerOf } from './setup-reader';
import { EXECUTE, EXECUTE_BATCH_OF_TUPLES } from './simple-account';

/** `createAccount(address owner, bytes32 salt)`. */
const CREATE_ACCOUNT_SELECTOR = 'f14ddffc';

/**
 * ERC4337 of Solady (Vectorized/solady commit 6c2d0da `src/accounts/ERC4337.sol`), as viem's default factory deploys it.
 * It has no modules. `delegateExecute`, `storageStore` and upgrades are calls of the account to itself.
 */
export const SOLADY: AccountFamily = {
  name: 'Solady',
  stubSignature: ECDSA_STUB,
  functions: [EXECUTE, EXECUTE_BATCH_OF_TUPLES],
  forwards: [{ signature: 'delegateExecute(address,bytes)', selector: '0xb10cc728' }],
  factories: [
    {
      // viem 2.57.20 account-abstraction/accounts/implementations/toSoladySmartAccount.ts. Its deployment is
      // deterministic: wevm/viem contracts/scripts/deploy/SoladyAccount_07.s.sol. The implementation is immutable in the
      // factory (Vectorized/solady 6c2d0da `src/accounts/ERC4337Factory.sol`), which has no owner.
      name: 'Solady ERC4337Factory of viem',
      address: '0x5d82735936c6cd5de57cc3c1a799f6b2e6f933df',
      checkSetup: checkSoladySetup,
    },
  ],
};

/**
 * Asserts that the call deploys an account: the code is fixed in the factory, and its caller chooses the owner only.
 *
 * @param digits the call to the factory
 * @throws DecodeFailure when it is anything else
 */
export function checkSoladySetup(digits: string): void {
  const reader = readerOf(digits, CREATE_ACCOUNT_SELECTOR, 'the factory function');
  reader.address('owner');
  reader.word('salt');
  reader.finish();
}
