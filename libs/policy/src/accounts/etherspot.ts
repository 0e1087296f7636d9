import type { Address, Hex } from '@paymaster/domain';
import { keccak256 } from 'ethers';
import { CanonicalReader } from '../decode/canonical-reader';
import { ECDSA_STUB, type AccountFamily } from './account-family';
import { ERC7579_EXECUTE, VALIDATOR_FIRST } from './erc7579';
import { expectKnown, readerOf, UnknownSetup } from './setup-reader';

// permissionless 0.3.7 accounts/etherspot/constants.ts, as in etherspot/etherspot-prime-contracts DEPLOYMENTS_MODULAR.md.
const BOOTSTRAPS: ReadonlySet<Address> = new Set<Address>(['0x0d5154d7751b6e2fdaa06f0cc9b400549394c8aa']);
const ECDSA_VALIDATOR: Address = '0x0740ed7c11b9da33d9c80bd76b826e4e90cc1906';

/** `createAccount(bytes32 salt, bytes initCode)`. */
const CREATE_ACCOUNT_SELECTOR = 'f8a59370';
/** `initMSA` of the bootstrap with the validator, no executor, no hook and no fallback handler: made by the test. */
const INITIALIZATION_HASH: Hex = '0x210bc8eed849b533f728cfcf393c28a523b136e0234a997a6aa6eca57e48982b';

/**
 * ModularEtherspotWallet of Etherspot (etherspot/etherspot-prime-contracts before commit 154922c,
 * `src/modular-etherspot-wallet/wallet/ModularEtherspotWallet.sol`).
 */
export const ETHERSPOT: AccountFamily = {
  name: 'Etherspot',
  canHavePasskeys: true,
  stubSignature: ECDSA_STUB,
  functions: [ERC7579_EXECUTE],
  factories: [
    {
      name: 'Modular Etherspot wallet factory',
      address: '0x2a40091f044e48deb5c0fcbc442e443f3341b451',
      checkSetup: checkEtherspotSetup,
    },
  ],
  nonceLayout: VALIDATOR_FIRST,
  // Asks the account whether the signer is one of its owners.
  validators: [ECDSA_VALIDATOR],
};

/**
 * Asserts that the account starts with the known validator and no other module. It runs what the factory's caller
 * says by delegatecall, so everything but the owner is compared with what clients send.
 *
 * @param digits the call to the factory
 * @throws DecodeFailure when it is anything else
 */
export function checkEtherspotSetup(digits: string): void {
  const reader = readerOf(digits, CREATE_ACCOUNT_SELECTOR, 'the factory function');
  reader.word('salt');
  reader.expectTail(reader.smallNumber('offset of init code'), 'init code');
  const initCode = reader.bytes('init code');
  reader.finish();

  const init = new CanonicalReader(initCode, 0);
  init.address('owner');
  expectKnown(BOOTSTRAPS, init.address('bootstrap'), 'bootstrap');
  init.expectTail(init.smallNumber('offset of initialization'), 'initialization');
  const initialization = init.bytes('initialization');
  init.finish();
  if (keccak256(`0x${initialization}`) !== INITIALIZATION_HASH) throw new UnknownSetup('the initialization');
}
