import type { Address, Hex } from '@paymaster/domain';
import { AbiCoder, keccak256 } from 'ethers';
import type { CanonicalReader } from '../decode/canonical-reader';
import { DecodeFailure, innerCall, type InnerCall } from '../decode/decode-result';
import { readMultiSend } from '../decode/multi-send';
import { readCallWithOperation } from '../decode/plain-calls';
import {
  ECDSA_STUB,
  type AccountFamily,
  type AccountProxy,
  type DearestSignature,
  type OperationHandlers,
} from './account-family';
import { ERC7579_EXECUTE } from './erc7579';
import { checkLaunchpadSetup, SAFE_7579, SAFE_7579_LAUNCHPAD, SETUP_SAFE } from './safe7579';
import { expectKnown, readerOf, UnknownSetup } from './setup-reader';

// The contracts an ERC-4337 Safe is made of, versions 1.4.1 and 1.5.0, the same address on every chain.
// Sources: permissionless 0.3.7 `accounts/safe/toSafeSmartAccount.ts` (`SAFE_VERSION_TO_ADDRESSES_MAP`);
// SafeL2: safe-global/safe-deployments `src/assets/v1.4.1/safe_l2.json`, `src/assets/v1.5.0/safe_l2.json`.

/** The code behind a Safe proxy. */
const SINGLETONS = {
  'Safe 1.4.1': '0x41675c099f32341bf84bfc5382af534df5c7461a',
  'Safe 1.4.1 L2': '0x29fcb43b46531bca003ddc8fcb67ffe91900c762',
  'Safe 1.5.0': '0xff51a5898e281db6dfc7855790607438df2ca44b',
  'Safe 1.5.0 L2': '0xedd160febbd92e350d4d398fb636302fccd67c7e',
} as const;
const SINGLETON_ADDRESSES: ReadonlySet<Address> = new Set(Object.values(SINGLETONS));

/** Contracts that a Safe runs by delegatecall to batch its calls: MultiSend and MultiSendCallOnly, 1.4.1 and 1.5.0. */
export const MULTI_SENDS: ReadonlySet<Address> = new Set<Address>([
  '0x38869bf66a61cf6bdb996a6ae40d5853fd43b526',
  '0x9641d764fc13c8b624c04430c7356c1c7c8102e2',
  '0x218543288004cd07832472d464648173c77d7eb7',
  '0xa83c336b20401af773b6219ba5027174338d1836',
]);

/**
 * Of EntryPoint v0.6 and v0.7: fallback handler and module in one, which decodes the call data of an operation; and the
 * library that enables it while a Safe is set up.
 */
export const MODULES: ReadonlyMap<Address, Address> = new Map<Address, Address>([
  ['0xa581c4a4db7175302464ff3c06380bc3270b4037', '0x8ecd4ec46d4d2a6b64fe960b3d64e8b94b2234eb'],
  ['0x75cf11467937ce3f2f357ce24ffc3dbf8fd5c226', '0x2dd68b007b46fbe91b9a7c3eda5a7a1063cb5b47'],
]);
const MODULE_SETUPS: ReadonlySet<Address> = new Set(MODULES.values());

/** Owner of passkey Safes, configured by delegatecall during setup. */
const WEB_AUTHN_SHARED_SIGNER: Address = '0x94a4f6affbd8975951142c3999aeab7ecee555c2';

/** SafeProxy.json of @safe-global/safe-contracts 1.4.1. */
const PROXY_1_4_1: AccountProxy = {
  codeHash: '0xd7d408ebcd99b2b70be43e20253d6d92a8ea8fab29bd3be7f55b10032331fb4c',
  implementationSlot: 'first',
};
/** SafeProxy.json of @safe-global/safe-smart-account 1.5.0. */
const PROXY_1_5_0: AccountProxy = {
  codeHash: '0x4e381985ca68b3e5d27b4425fa581c19cf33146d3f887a3cfca96f55528ea46f',
  implementationSlot: 'first',
};

/** keccak256("fallback_manager.handler.address"), of FallbackManager.sol. */
const HANDLER_SLOT = '0x6c9a6c4a39284e37ed1cf53d337577d14212a4870fb976a4366c693b939918d5';
/** `mapping(address => address) modules` of ModuleManager.sol. */
const MODULES_SLOT = 1n;

/** The owner of a Safe may set any fallback handler, which then decodes operations, and enable any module. */
const HANDLERS: OperationHandlers = {
  known: new Set([...MODULES.keys(), SAFE_7579]),
  slot: HANDLER_SLOT,
  enabledSlotOf: (handler) =>
    keccak256(AbiCoder.defaultAbiCoder().encode(['address', 'uint256'], [handler, MODULES_SLOT])) as Hex,
};

/** `validAfter` and `validUntil` of the 4337 module, six bytes each: no bounds. */
const NO_TIME_BOUNDS = '00'.repeat(12);

/** Safe with its 4337 module (safe-global/safe-modules Safe4337Module.sol), or with the ERC-7579 adapter. */
export const SAFE: AccountFamily = {
  name: 'Safe',
  canHavePasskeys: true,
  functions: [
    {
      name: 'safeExecuteUserOp',
      signature: 'executeUserOp(address,uint256,bytes,uint8)',
      selector: '0x7bb37428',
      read: readSafeCalls,
      ignoresSuffix: true,
    },
    {
      name: 'safeExecuteUserOpWithErrorString',
      signature: 'executeUserOpWithErrorString(address,uint256,bytes,uint8)',
      selector: '0x541d63c8',
      read: readSafeCalls,
      ignoresSuffix: true,
    },
    SETUP_SAFE,
    ERC7579_EXECUTE,
  ],
  // They take the last 20 bytes of the call data for the caller (Safe's HandlerContext.sol, `_msgSender`).
  adapters: [...MODULES.keys(), SAFE_7579],
  forwards: [
    { signature: 'execTransactionFromModule(address,uint256,bytes,uint8)', selector: '0x468721a7' },
    { signature: 'execTransactionFromModuleReturnData(address,uint256,bytes,uint8)', selector: '0x5229073f' },
  ],
  clientName: {
    name: 'SAFE',
    versions: { '1.4.1': { stubSignature: `0x${NO_TIME_BOUNDS}${ECDSA_STUB.slice(2)}` } },
  },
  dearestSignature: dearestSafeSignature,
  // permissionless 0.3.7 accounts/safe/toSafeSmartAccount.ts
  factories: [
    {
      name: 'Safe proxy factory 1.4.1',
      address: '0x4e1dcf7ad4e460cfd30791ccc4f9c8a4f820ec67',
      checkSetup: checkSafeSetup,
    },
    {
      name: 'Safe proxy factory 1.5.0',
      address: '0x14f2982d601c9458f93bd70b218933a6f8165e7b',
      checkSetup: checkSafeSetup,
    },
  ],
  implementations: Object.entries(SINGLETONS).map(([name, address]) => ({
    name,
    address,
    proxies: [PROXY_1_4_1, PROXY_1_5_0],
    handlers: HANDLERS,
  })),
};

const [TIMES_DIGITS, SIGNATURE_DIGITS] = [24, 130] as const;
/** A signature by `eth_sign`, whose v is 4 higher: Safe hashes once more for it. */
const BY_ETH_SIGN = `${ECDSA_STUB.slice(2, -2)}20`;
/** Of an owner that is a contract, or that has approved the hash on chain. */
const NO_ECDSA: ReadonlySet<string> = new Set(['00', '01']);
/**
 * Safe checks the signatures one after the other, and stops at the first that is not an owner's. In an estimate none is
 * an owner's. This is what each further one takes: `ecrecover`, the owner's slot, and the code around them; gas.
 */
const NEXT_SIGNATURE_GAS = 6_300n;

/** Times, then a signature of each owner. permissionless 0.1 fills it with `ff`, of which Safe recovers nobody. */
function dearestSafeSignature(dummy: Hex, callData: Hex): DearestSignature | undefined {
  if (!SAFE.functions.some(({ selector }) => selector !== ERC7579_EXECUTE.selector && callData.startsWith(selector))) {
    return undefined;
  }
  const digits = dummy.slice(2 + TIMES_DIGITS);
  const signatures = digits.match(/.{130}/g) ?? [];
  const unseenGas = BigInt(Math.max(signatures.length - 1, 0)) * NEXT_SIGNATURE_GAS;
  const isEcdsa =
    digits.length === signatures.length * SIGNATURE_DIGITS && !signatures.some((each) => NO_ECDSA.has(each.slice(-2)));
  if (!isEcdsa) return { signature: dummy, unseenGas };
  return { signature: `${dummy.slice(0, 2 + TIMES_DIGITS)}${BY_ETH_SIGN.repeat(signatures.length)}` as Hex, unseenGas };
}

/** `createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce)` of the Safe proxy factory. */
const CREATE_PROXY_SELECTOR = '1688f0b9';
/** `setup(address[] owners, uint256 threshold, address to, bytes data, address handler, address, uint256, address)`. */
const SAFE_SETUP_SELECTOR = 'b63e800d';
/** `enableModules(address[])` of SafeModuleSetup. */
const ENABLE_MODULES_SELECTOR = '8d0dc49f';

const MAX_OWNERS = 64;
const MAX_MODULES = 8;
const CALL = 0;
const DELEGATE_CALL = 1;

/**
 * Asserts that a Safe deployment is one of a plain ERC-4337 Safe.
 *
 * The Safe proxy factory deploys whatever its caller asks for: the singleton is the account's code, the fallback
 * handler and modules decode its operations, and setup runs a delegatecall. A whitelist on call data means
 * nothing for an account where any of them is the caller's own, so all of them have to be known contracts.
 *
 * @param digits the call to the Safe proxy factory
 * @throws DecodeFailure when it is anything else
 */
export function checkSafeSetup(digits: string): void {
  const reader = readerOf(digits, CREATE_PROXY_SELECTOR, 'the factory function');
  const singleton = reader.address('singleton');
  const initializerOffset = reader.smallNumber('offset of initializer');
  reader.uint256('salt nonce');
  reader.expectTail(initializerOffset, 'initializer');
  const initializer = reader.bytes('initializer');
  reader.finish();
  if (singleton === SAFE_7579_LAUNCHPAD) return checkLaunchpadSetup(initializer);
  expectKnown(SINGLETON_ADDRESSES, singleton, 'singleton');
  checkInitializer(initializer);
}

function checkInitializer(digits: string): void {
  const reader = readerOf(digits, SAFE_SETUP_SELECTOR, 'the initializer');
  const ownersOffset = reader.smallNumber('offset of owners');
  reader.uint256('threshold');
  const to = reader.address('setup target');
  const dataOffset = reader.smallNumber('offset of setup data');
  const handler = reader.address('fallback handler');
  expectKnown(MODULES, handler, 'fallback handler');
  reader.address('payment token');
  // Setup pays this out of the account, in any token, past every rule on calls.
  if (reader.uint256('payment') !== 0n) throw new UnknownSetup('setup makes a payment');
  reader.address('payment receiver');
  reader.expectTail(ownersOffset, 'owners');
  reader.addresses('owners', MAX_OWNERS);
  reader.expectTail(dataOffset, 'setup data');
  const data = reader.bytes('setup data');
  reader.finish();
  // Otherwise every call of the account fails at once, and its bundler is paid a part of the gas that it did not use.
  if (!setupCallsIn(to, data).flatMap(enabledBy).includes(handler))
    throw new UnknownSetup('setup does not enable the fallback handler as a module');
}

interface SetupCall {
  readonly to: Address;
  readonly digits: string;
}

/** The delegatecalls that setup makes: to enable known modules, or to configure the passkey signer. */
function setupCallsIn(to: Address, digits: string): SetupCall[] {
  const calls = MULTI_SENDS.has(to)
    ? readMultiSend(digits).map((transaction) => {
        if (transaction.operation !== DELEGATE_CALL) throw new UnknownSetup(`setup makes a call to ${transaction.to}`);
        return { to: transaction.to, digits: transaction.data.slice(2) };
      })
    : [{ to, digits }];
  return calls.filter((call) => call.to !== WEB_AUTHN_SHARED_SIGNER);
}

/** The modules that a delegatecall of setup certainly enables; a chain may lack another module's library. */
function enabledBy({ to, digits }: SetupCall): Address[] {
  expectKnown(MODULE_SETUPS, to, 'setup target');
  const reader = readerOf(digits, ENABLE_MODULES_SELECTOR, 'the setup call');
  reader.expectTail(reader.smallNumber('offset of modules'), 'modules');
  const modules = reader.addresses('modules', MAX_MODULES);
  reader.finish();
  modules.forEach((module) => expectKnown(MODULES, module, 'module'));
  return modules.filter((module) => MODULES.get(module) === to);
}

/**
 * `executeUserOp(address to, uint256 value, bytes data, uint8 operation)` of the Safe 4337 module.
 *
 * Operation 1 is a delegatecall. It is how a Safe batches, so one to a known MultiSend contract is read as the
 * calls in it; any other delegatecall runs foreign code as the account and is refused.
 */
function readSafeCalls(reader: CanonicalReader): InnerCall[] {
  const { to, valueWei, data, operation } = readCallWithOperation(reader);
  if (operation === CALL) return [innerCall(to, valueWei, data)];
  if (operation !== DELEGATE_CALL) throw new DecodeFailure('UNSUPPORTED_MODE', `Safe operation ${operation}`);
  if (!MULTI_SENDS.has(to)) throw new DecodeFailure('DELEGATE_CALL', `a delegatecall to ${to}`);
  // A delegatecall has no value of its own: the Safe ignores this field, so only zero says what happens.
  if (valueWei !== 0n) throw new DecodeFailure('NOT_CANONICAL', 'a delegatecall to MultiSend with a value');

  return readMultiSend(data).map(({ operation: inner, ...call }) => {
    if (inner === DELEGATE_CALL) throw new DecodeFailure('DELEGATE_CALL', `a delegatecall to ${call.to} in MultiSend`);
    if (inner !== CALL) throw new DecodeFailure('UNSUPPORTED_MODE', `MultiSend operation ${inner}`);
    return call;
  });
}
