import type { Address, Hex } from '@paymaster/domain';
import { keccak256 } from 'ethers';
import { CanonicalReader } from '../decode/canonical-reader';
import { ECDSA_STUB, type AccountFamily } from './account-family';
import { ERC7579_EXECUTE, VALIDATOR_FIRST } from './erc7579';
import { expectKnown, readerOf, UnknownSetup } from './setup-reader';

/** What accounts of one factory start with. */
interface EtherspotVersion {
  readonly bootstrap: Address;
  /** Asks the account whether the signer is one of its owners. */
  readonly validator: Address;
  /**
   * Hash of `initMSA` of the bootstrap with the validator, no executor, no hook and no fallback handler; a test
   * computes it again.
   */
  readonly initializationHash: Hex;
}

// permissionless 0.3.7 accounts/etherspot/constants.ts, as in etherspot/etherspot-prime-contracts DEPLOYMENTS_MODULAR.md.
const FIRST: EtherspotVersion = {
  bootstrap: '0x0d5154d7751b6e2fdaa06f0cc9b400549394c8aa',
  validator: '0x0740ed7c11b9da33d9c80bd76b826e4e90cc1906',
  initializationHash: '0x210bc8eed849b533f728cfcf393c28a523b136e0234a997a6aa6eca57e48982b',
};

// @etherspot/modular-sdk 6.1.1 sdk/network/constants.ts, as in etherspot/etherspot-modular-accounts
// broadcast/DeployAllAndSetup.s.sol/10/run-latest.json, where the deterministic deployment proxy (0x4e59…956c) made them.
const SECOND: EtherspotVersion = {
  bootstrap: '0xcf2808ea7d131d96e5c73eb0ecd8dc84d33905c7',
  validator: '0x0ea25bf9f313344d422b513e1af679484338518e',
  initializationHash: '0xb719174e12a35b27561eefb6131d39176a32f8cb2c13c9af89121e2be5e98610',
};

/** `createAccount(bytes32 salt, bytes initCode)`. */
const CREATE_ACCOUNT_SELECTOR = 'f8a59370';

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
      checkSetup: (digits) => checkEtherspotSetup(digits, FIRST),
    },
    {
      name: 'Modular Etherspot wallet factory, second',
      address: '0x38cc0eddd3a944ca17981e0a19470d2298b8d43a',
      checkSetup: (digits) => checkEtherspotSetup(digits, SECOND),
      onChain: {
        // The code in that broadcast, whose hash and salt give the address.
        codeHash: '0x45567ca8965240e124ce85fdfb669b515809354bf179a929a220b04d02028408',
        // The factory's owner can change this address by `setImplementation(address)`.
        pointer: { slot: `0x${'00'.repeat(32)}`, address: '0x62fdd1382b0182f2cc40badea6e5de0ccb2d6488' },
      },
    },
  ],
  nonceLayout: VALIDATOR_FIRST,
  validators: [FIRST.validator, SECOND.validator],
};

/**
 * Asserts that the account starts with the known validator and no other module. A new account runs by delegatecall
 * whatever contract its init code names, so everything in it but the owner has to be what clients send.
 *
 * @param digits the call to the factory
 * @throws DecodeFailure when it is anything else
 */
function checkEtherspotSetup(digits: string, { bootstrap, initializationHash }: EtherspotVersion): void {
  const reader = readerOf(digits, CREATE_ACCOUNT_SELECTOR, 'the factory function');
  reader.word('salt');
  reader.expectTail(reader.smallNumber('offset of init code'), 'init code');
  const initCode = reader.bytes('init code');
  reader.finish();

  const init = new CanonicalReader(initCode, 0);
  init.address('owner');
  expectKnown(new Set([bootstrap]), init.address('bootstrap'), 'bootstrap');
  init.expectTail(init.smallNumber('offset of initialization'), 'initialization');
  const initialization = init.bytes('initialization');
  init.finish();
  if (keccak256(`0x${initialization}`) !== initializationHash) throw new UnknownSetup('the initialization');
}
