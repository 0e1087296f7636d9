import { ECDSA_STUB, type AccountFamily, type AccountProxy } from './account-family';
import { readerOf } from './setup-reader';
import { EXECUTE, EXECUTE_BATCH } from './simple-account';

/** `createAccount(address admin, bytes data)`. */
const CREATE_ACCOUNT_SELECTOR = 'd8fd8f44';

/** EIP-1167, with the implementation in its code. */
const cloneOf = (codeHash: AccountProxy['codeHash']): AccountProxy => ({ codeHash, implementationSlot: 'none' });

/**
 * Account of thirdweb's default factories (thirdweb-dev/contracts v3.9.4 `contracts/prebuilts/account/non-upgradeable`).
 * It has no modules. What thirdweb calls dynamic or managed accounts takes code from its factory's owner, so these
 * factories are not listed.
 *
 * Factories: `THIRDWEB_FACTORY_V06_CREATECALL` and `…_V07_CREATECALL` of pimlicolabs/permissionless.js
 * packages/permissionless-test/mock-aa-infra/alto/constants/accounts/thirdweb.ts are what the deterministic deployment
 * proxy (0x4e59…956c) was called with. Their salts and codes give these addresses, and leave this code there.
 */
export const THIRDWEB: AccountFamily = {
  name: 'thirdweb',
  stubSignature: ECDSA_STUB,
  functions: [EXECUTE, EXECUTE_BATCH],
  // thirdweb 5.121.6 wallets/smart/lib/constants.ts, permissionless 0.4.1 accounts/thirdweb/toThirdwebSmartAccount.ts
  factories: [
    {
      name: 'thirdweb AccountFactory for EntryPoint v0.6',
      address: '0x85e23b94e7f5e9cc1ff78bce78cfb15b81f0df00',
      checkSetup: checkThirdwebSetup,
      onChain: { codeHash: '0xaa30a653c6fcebf969b1f451dd5f8c1638abb71872344f25530a4334d9a81e9f' },
    },
    {
      name: 'thirdweb AccountFactory for EntryPoint v0.7',
      address: '0x4be0ddfebca9a5a4a617dee4dece99e7c862dceb',
      checkSetup: checkThirdwebSetup,
      onChain: { codeHash: '0xf55324767fcb41d9ff2e39271f588dab959488176bfe0948617eb95722a28246' },
    },
  ],
  // Each is its factory's first creation (nonce 1), in the constructor: proven by the test.
  implementations: [
    {
      name: 'thirdweb Account for EntryPoint v0.6',
      address: '0xf22175c80c6e074c171811c59c6c0087e2a6a346',
      proxies: [cloneOf('0x13f239945061181a931c55fb8e81bbfc41af3ec4af5b57039c9eb8283bf538a7')],
    },
    {
      name: 'thirdweb Account for EntryPoint v0.7',
      address: '0x94ec38a5d2eda5a543ab4c08d998338d4082beb2',
      proxies: [cloneOf('0x4cf96b52aa2a257d62bb3bcf07c5dff951c44b5d0363a611c5425256950f9292')],
    },
  ],
};

/**
 * Asserts that the call deploys an account: the code is fixed in the factory. The data is a salt, which the account does
 * not read.
 *
 * @param digits the call to the factory
 * @throws DecodeFailure when it is anything else
 */
export function checkThirdwebSetup(digits: string): void {
  const reader = readerOf(digits, CREATE_ACCOUNT_SELECTOR, 'the factory function');
  reader.address('admin');
  reader.expectTail(reader.smallNumber('offset of data'), 'data');
  reader.bytes('data');
  reader.finish();
}
