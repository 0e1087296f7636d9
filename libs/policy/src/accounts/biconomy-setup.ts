import type { Address } from '@paymaster/domain';
import { expectKnown, readerOf } from './setup-reader';

/**
 * Authorization modules that a Biconomy V2 account may start with.
 *
 * Sources: permissionless 0.3.7 `accounts/biconomy/toBiconomySmartAccount.ts` (ECDSA ownership registry);
 * bcnmy/biconomy-client-sdk `DEFAULT_MULTICHAIN_MODULE`.
 */
export const KNOWN_BICONOMY_MODULES: ReadonlySet<Address> = new Set<Address>([
  '0x0000001c5b32f37f5bea87bdd5374eb2ac54ea8e',
  '0x000000824dc138db84fd9109fc154bdad332aa8e',
]);

/** `deployCounterFactualAccount(address moduleSetupContract, bytes moduleSetupData, uint256 index)`. */
const DEPLOY_SELECTOR = 'df20ffbc';
/** `initForSmartAccount(address owner)` of the modules; it returns the module itself. */
const INIT_SELECTOR = '2ede3bc0';

/**
 * Asserts that a Biconomy V2 deployment starts its account with a known module.
 *
 * The implementation is fixed in the factory, but a module may make the account run delegatecalls, so the module
 * that validates the first operation could replace the account's code. The setup call returns the address that
 * becomes the module: another function of a known module could return any address, so the function counts too.
 *
 * @param digits the call to the factory
 * @throws UnknownSetup or DecodeFailure when it is anything else
 * @see bcnmy/scw-contracts ModuleManager.sol, `_initialSetupModules`
 */
export function checkBiconomySetup(digits: string): void {
  const reader = readerOf(digits, DEPLOY_SELECTOR, 'the factory function');
  expectKnown(KNOWN_BICONOMY_MODULES, reader.address('module'), 'module');
  const setupOffset = reader.smallNumber('offset of module setup');
  reader.uint256('index');
  reader.expectTail(setupOffset, 'module setup');
  const setup = reader.bytes('module setup');
  reader.finish();

  const setupReader = readerOf(setup, INIT_SELECTOR, 'the module setup');
  setupReader.address('owner');
  setupReader.finish();
}
