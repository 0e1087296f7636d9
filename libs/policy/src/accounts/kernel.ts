import { ZERO_ADDRESS, type Address } from '@paymaster/domain';
import { ECDSA_STUB, type AccountFactory, type AccountFamily } from './account-family';
import { ERC7579_EXECUTE } from './erc7579';
import { expectKnown, readerOf, UnknownSetup } from './setup-reader';

interface KernelVersion {
  readonly name: string;
  readonly factory: Address;
  /** Checks signatures of its owner, whose 20 bytes it is installed with. */
  readonly ecdsaValidator: Address;
  /** Before 3.1 there are no calls of the account to itself while it is initialized. */
  readonly hasInitCalls: boolean;
}

const ECDSA_3_0: Address = '0x8104e3ad430ea6d354d013a6789fdfc71e671c43';
const ECDSA_3_1: Address = '0x845adb2c711129d4f3966735ed98a9f09fc4ce57';

/** permissionless 0.3.7 accounts/kernel/toKernelSmartAccount.ts (KERNEL_VERSION_TO_ADDRESSES_MAP). */
const VERSIONS: readonly KernelVersion[] = [
  {
    name: 'Kernel 3.0',
    factory: '0x6723b44abeec4e71ebe3232bd5b455805badd22f',
    ecdsaValidator: ECDSA_3_0,
    hasInitCalls: false,
  },
  {
    name: 'Kernel 3.1',
    factory: '0xaac5d4240af87249b3f71bc8e4a2cae074a3e419',
    ecdsaValidator: ECDSA_3_1,
    hasInitCalls: true,
  },
  {
    name: 'Kernel 3.2',
    factory: '0x7a1dbab750f12a90eb1b60d2ae3ad17d4d81effe',
    ecdsaValidator: ECDSA_3_1,
    hasInitCalls: true,
  },
  {
    name: 'Kernel 3.3',
    factory: '0x2577507b78c2008ff367261cb6285d44ba5ef2e9',
    ecdsaValidator: ECDSA_3_1,
    hasInitCalls: true,
  },
];

const NO_HOOK: ReadonlySet<Address> = new Set([ZERO_ADDRESS]);

/** The default mode with the root validator, whatever is named, or with the validator that is named. */
const PREFIXES: ReadonlySet<string> = new Set(['0000', '0001']);

/** Kernel v3 of ZeroDev. What it does not have itself it hands to modules: `fallback` of zerodevapp/kernel v3.1 `src/Kernel.sol`. */
export const KERNEL: AccountFamily = {
  name: 'Kernel',
  canHavePasskeys: true,
  stubSignature: ECDSA_STUB,
  functions: [ERC7579_EXECUTE],
  nonceLayout: {
    name: 'kernel',
    /** `[1 mode][1 type][20 validator][2 free]`: zerodevapp/kernel v3 `src/utils/ValidationTypeLib.sol`, `decodeNonce`. */
    validatorOf: (digits) => (PREFIXES.has(digits.slice(0, 4)) ? digits.slice(4, 44) : undefined),
  },
  // zerodevapp/kernel README.md: ECDSA Validator of v3.0, and of v3.1 and later
  validators: [ECDSA_3_0, ECDSA_3_1],
  factories: [
    ...VERSIONS.map((version): AccountFactory => ({
      name: `${version.name} factory`,
      address: version.factory,
      checkSetup: (digits) => checkKernelCreation(digits, version),
    })),
    // zerodevapp/kernel v3.1 `src/factory/FactoryStaker.sol`; permissionless 0.3.7 takes it by default
    {
      name: 'Kernel meta factory',
      address: '0xd703aae79538628d27099b8c4f621be4ccd142d5',
      checkSetup: checkMetaFactory,
    },
  ],
};

/** `deployWithFactory(address factory, bytes createData, bytes32 salt)` of the meta factory. */
const DEPLOY_WITH_FACTORY_SELECTOR = 'c5265d5d';
/** `createAccount(bytes data, bytes32 salt)` of a factory. */
const CREATE_ACCOUNT_SELECTOR = 'ea6d13ac';
/** `initialize(bytes21 rootValidator, address hook, bytes validatorData, bytes hookData)` of Kernel 3.0. */
const INITIALIZE_3_0_SELECTOR = '12af322c';
/** The same with `bytes[] initConfig` behind, of Kernel 3.1 and later. */
const INITIALIZE_SELECTOR = '3c3b752b';

/** The root validator's kind, a validator, and what follows its address in the word. */
const ROOT_KIND = '01';
const ROOT_REST = '0'.repeat(22);
const OWNER_DIGITS = 40;

/**
 * Asserts that the meta factory makes a known factory deploy a known setup.
 *
 * @param digits the call to the meta factory
 * @throws DecodeFailure when it is anything else
 */
export function checkMetaFactory(digits: string): void {
  const reader = readerOf(digits, DEPLOY_WITH_FACTORY_SELECTOR, 'the factory function');
  const factory = reader.address('factory');
  const dataOffset = reader.smallNumber('offset of initialization');
  reader.word('salt');
  reader.expectTail(dataOffset, 'initialization');
  const initialization = reader.bytes('initialization');
  reader.finish();
  const version = VERSIONS.find((each) => each.factory === factory);
  if (!version) throw new UnknownSetup(`factory ${factory} is not known`);
  checkInitialization(initialization, version);
}

function checkKernelCreation(digits: string, version: KernelVersion): void {
  const reader = readerOf(digits, CREATE_ACCOUNT_SELECTOR, 'the factory function');
  const dataOffset = reader.smallNumber('offset of initialization');
  reader.word('salt');
  reader.expectTail(dataOffset, 'initialization');
  const initialization = reader.bytes('initialization');
  reader.finish();
  checkInitialization(initialization, version);
}

/**
 * The first call to the account, of whatever function the factory's caller likes. It installs the validator and a hook,
 * and makes calls of the account to itself, each of which may install any module.
 */
function checkInitialization(digits: string, { ecdsaValidator, hasInitCalls }: KernelVersion): void {
  const selector = hasInitCalls ? INITIALIZE_SELECTOR : INITIALIZE_3_0_SELECTOR;
  const reader = readerOf(digits, selector, 'the initialization');
  const root = reader.word('root validator');
  if (!root.startsWith(ROOT_KIND) || !root.endsWith(ROOT_REST)) throw new UnknownSetup('the kind of root validator');
  expectKnown(new Set([ecdsaValidator]), `0x${root.slice(2, 42)}`, 'validator');
  expectKnown(NO_HOOK, reader.address('hook'), 'hook');
  const ownerOffset = reader.smallNumber('offset of owner');
  const hookOffset = reader.smallNumber('offset of hook data');
  const callsOffset = hasInitCalls ? reader.smallNumber('offset of calls') : undefined;
  reader.expectTail(ownerOffset, 'owner');
  if (reader.bytes('owner').length !== OWNER_DIGITS) throw new UnknownSetup('the owner is not an address');
  reader.expectTail(hookOffset, 'hook data');
  if (reader.bytes('hook data') !== '') throw new UnknownSetup('the hook data');
  if (callsOffset !== undefined) {
    reader.expectTail(callsOffset, 'calls');
    if (reader.smallNumber('calls') !== 0) throw new UnknownSetup('the account calls itself while it is initialized');
  }
  reader.finish();
}
