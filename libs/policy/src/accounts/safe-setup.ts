import type { Address } from '@paymaster/domain';
import { readMultiSend } from '../decode/multi-send';
import {
  KNOWN_MULTI_SEND_CONTRACTS,
  KNOWN_SAFE_4337_MODULES,
  KNOWN_SAFE_MODULE_SETUPS,
  KNOWN_SAFE_SINGLETONS,
  SAFE_WEB_AUTHN_SHARED_SIGNER,
} from './known-safe-contracts';
import { expectKnown, readerOf, UnknownSetup } from './setup-reader';

/** `createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce)` of the Safe proxy factory. */
const CREATE_PROXY_SELECTOR = '1688f0b9';
/** `setup(address[] owners, uint256 threshold, address to, bytes data, address handler, address, uint256, address)`. */
const SAFE_SETUP_SELECTOR = 'b63e800d';
/** `enableModules(address[])` of SafeModuleSetup. */
const ENABLE_MODULES_SELECTOR = '8d0dc49f';

const MAX_OWNERS = 64;
const MAX_MODULES = 8;
const DELEGATE_CALL = 1;

/**
 * Asserts that a Safe deployment is one of a plain ERC-4337 Safe.
 *
 * The Safe proxy factory deploys whatever its caller asks for: the singleton is the account's code, the fallback
 * handler and modules decode its operations, and setup runs a delegatecall. A whitelist on call data means
 * nothing for an account where any of them is the caller's own, so all of them have to be known contracts.
 *
 * @param digits the call to the Safe proxy factory
 * @throws UnknownSetup or DecodeFailure when it is anything else
 */
export function checkSafeSetup(digits: string): void {
  const reader = readerOf(digits, CREATE_PROXY_SELECTOR, 'the factory function');
  expectKnown(KNOWN_SAFE_SINGLETONS, reader.address('singleton'), 'singleton');
  const initializerOffset = reader.smallNumber('offset of initializer');
  reader.uint256('salt nonce');
  reader.expectTail(initializerOffset, 'initializer');
  const initializer = reader.bytes('initializer');
  reader.finish();
  checkInitializer(initializer);
}

function checkInitializer(digits: string): void {
  const reader = readerOf(digits, SAFE_SETUP_SELECTOR, 'the initializer');
  const ownersOffset = reader.smallNumber('offset of owners');
  reader.uint256('threshold');
  const to = reader.address('setup target');
  const dataOffset = reader.smallNumber('offset of setup data');
  expectKnown(KNOWN_SAFE_4337_MODULES, reader.address('fallback handler'), 'fallback handler');
  reader.address('payment token');
  // Setup pays this out of the account, in any token, past every rule on calls.
  if (reader.uint256('payment') !== 0n) throw new UnknownSetup('setup makes a payment');
  reader.address('payment receiver');
  reader.expectTail(ownersOffset, 'owners');
  reader.addresses('owners', MAX_OWNERS);
  reader.expectTail(dataOffset, 'setup data');
  const data = reader.bytes('setup data');
  reader.finish();
  if (!KNOWN_MULTI_SEND_CONTRACTS.has(to)) return checkSetupCall(to, data);
  for (const transaction of readMultiSend(data)) {
    if (transaction.operation !== DELEGATE_CALL) throw new UnknownSetup(`setup makes a call to ${transaction.to}`);
    checkSetupCall(transaction.to, transaction.data.slice(2));
  }
}

/** A delegatecall that setup makes: enables known modules, or configures the passkey signer. */
function checkSetupCall(to: Address, digits: string): void {
  if (to === SAFE_WEB_AUTHN_SHARED_SIGNER) return;
  expectKnown(KNOWN_SAFE_MODULE_SETUPS, to, 'setup target');
  const reader = readerOf(digits, ENABLE_MODULES_SELECTOR, 'the setup call');
  reader.expectTail(reader.smallNumber('offset of modules'), 'modules');
  const modules = reader.addresses('modules', MAX_MODULES);
  reader.finish();
  modules.forEach((module) => expectKnown(KNOWN_SAFE_4337_MODULES, module, 'module'));
}
