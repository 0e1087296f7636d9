import type { Address } from '@paymaster/domain';
import type { CanonicalReader } from '../decode/canonical-reader';
import { DecodeFailure, innerCall, type InnerCall } from '../decode/decode-result';
import { readCallWithOperation } from '../decode/plain-calls';
import { ECDSA_STUB, type AccountFamily, type AccountProxy } from './account-family';
import { expectKnown, readerOf, UnknownSetup } from './setup-reader';
import { EXECUTE_BATCH_OF_TUPLES } from './simple-account';

/** permissionless 0.3.7 accounts/kernel/toKernelSmartAccount.ts (KERNEL_VERSION_TO_ADDRESSES_MAP), as in zerodevapp/kernel README.md. */
const IMPLEMENTATIONS = {
  'Kernel 2.2': '0x0da6a956b9488ed4dd761e59f52fdc6c8068e6b5',
  'Kernel 2.3': '0xd3f582f6b4814e989ee8e96bc3175320b5a540ab',
  'Kernel 2.4': '0xd3082872f8b06073a021b4602e022d5a070d7cfc',
} as const;
const IMPLEMENTATION_ADDRESSES: ReadonlySet<Address> = new Set(Object.values(IMPLEMENTATIONS));

/** Its `enable` takes the owner's 20 bytes and nothing more (zerodevapp/kernel v2.4 `src/validator/ECDSAValidator.sol`). */
const ECDSA_VALIDATORS: ReadonlySet<Address> = new Set<Address>(['0xd9ab5096a832b9ce79914329daee236f8eea0390']);
const OWNER_DIGITS = 40;

const CALL = 0;
const DELEGATE_CALL = 1;

/**
 * The 127 bytes of runtime code in `_initCode` of zerodevapp/kernel v2.4 `src/factory/AdminLessERC1967Factory.sol`, with
 * the factory's address. It delegates everything, and takes an implementation from the factory alone, which gives one
 * only while it creates the proxy.
 */
const PROXY: AccountProxy = {
  codeHash: '0x7254edb0ba49650a2ecb4fbf9223710f6223925b0aa26ad310e486ccf5c4473a',
  implementationSlot: 'erc1967',
};

/**
 * Kernel 2.2 to 2.4 of ZeroDev, for EntryPoint v0.6 (zerodevapp/kernel `src/Kernel.sol`).
 *
 * The signature's first bytes may enable a validator for the function that is called, and code that runs as the account
 * where it has no such function. `execute` and `executeBatch` it has. Kernel 2.1 has no `executeBatch`, so it is left out.
 */
export const KERNEL_V2: AccountFamily = {
  name: 'Kernel v2',
  // The mode in front: the account's own validator.
  stubSignature: `0x00000000${ECDSA_STUB.slice(2)}`,
  functions: [
    {
      name: 'executeWithOperation',
      signature: 'execute(address,uint256,bytes,uint8)',
      selector: '0x51945447',
      read: readExecute,
    },
    EXECUTE_BATCH_OF_TUPLES,
  ],
  forwards: [{ signature: 'executeDelegateCall(address,bytes)', selector: '0xb68df16d' }],
  factories: [
    {
      name: 'Kernel factory 2.1 to 2.4',
      address: '0x5de4839a76cf55d0c90e2061ef4386d962e15ae3',
      checkSetup: checkKernelV2Setup,
    },
  ],
  implementations: Object.entries(IMPLEMENTATIONS).map(([name, address]) => ({ name, address, proxies: [PROXY] })),
};

/** `createAccount(address implementation, bytes data, uint256 index)`. */
const CREATE_ACCOUNT_SELECTOR = '296601cd';
/** `initialize(address defaultValidator, bytes data)`. */
const INITIALIZE_SELECTOR = 'd1f57894';

/**
 * Asserts that the factory deploys a known Kernel whose owner signs with the known validator.
 *
 * The factory's caller chooses the implementation and the first call to it, which could set any validator or none: then
 * anybody may initialize the account.
 *
 * @param digits the call to the factory
 * @throws DecodeFailure when it is anything else
 */
export function checkKernelV2Setup(digits: string): void {
  const reader = readerOf(digits, CREATE_ACCOUNT_SELECTOR, 'the factory function');
  expectKnown(IMPLEMENTATION_ADDRESSES, reader.address('implementation'), 'implementation');
  const dataOffset = reader.smallNumber('offset of initialization');
  reader.uint256('index');
  reader.expectTail(dataOffset, 'initialization');
  const initialization = reader.bytes('initialization');
  reader.finish();

  const init = readerOf(initialization, INITIALIZE_SELECTOR, 'the initialization');
  expectKnown(ECDSA_VALIDATORS, init.address('validator'), 'validator');
  init.expectTail(init.smallNumber('offset of owner'), 'owner');
  if (init.bytes('owner').length !== OWNER_DIGITS) throw new UnknownSetup('the owner is not an address');
  init.finish();
}

/** Operation 1 is a delegatecall in Kernel 2.1, and reverts in later ones. */
function readExecute(reader: CanonicalReader): InnerCall[] {
  const { to, valueWei, data, operation } = readCallWithOperation(reader);
  if (operation === DELEGATE_CALL) throw new DecodeFailure('DELEGATE_CALL', `a delegatecall to ${to}`);
  if (operation !== CALL) throw new DecodeFailure('UNSUPPORTED_MODE', `Kernel operation ${operation}`);
  return [innerCall(to, valueWei, data)];
}
