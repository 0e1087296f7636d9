import { ZERO_ADDRESS, type Address } from '@paymaster/domain';
import { CanonicalReader } from '../decode/canonical-reader';
import type { AccountFunction } from './account-family';
import { ERC7579_EXECUTE } from './erc7579';
import { expectKnown, readerOf, UnknownSetup } from './setup-reader';

// A Safe whose module and fallback handler is the ERC-7579 adapter of rhinestonewtf/safe7579 v1.0. Its proxy starts with
// the launchpad's code, and its first operation makes a Safe of it and then calls.
// Addresses: rhinestonewtf/safe7579 script/DeployAccount.s.sol, which clients of permissionless pass as
// `safe4337ModuleAddress` and `erc7579LaunchpadAddress`.

export const SAFE_7579: Address = '0x7579ee8307284f293b1927136486880611f20002';
export const SAFE_7579_LAUNCHPAD: Address = '0x7579011ab74c46090561ea277ba79d510c6c00ff';

/** Safe 1.4.1 and its L2 version; permissionless 0.3.7 refuses to set up others: accounts/safe/toSafeSmartAccount.ts. */
const SINGLETONS: ReadonlySet<Address> = new Set<Address>([
  '0x41675c099f32341bf84bfc5382af534df5c7461a',
  '0x29fcb43b46531bca003ddc8fcb67ffe91900c762',
]);
/** The head of a Safe's list of owners. */
const SENTINEL: Address = `0x${'0'.repeat(39)}1`;
const ADAPTERS: ReadonlySet<Address> = new Set([SAFE_7579]);
const LAUNCHPADS: ReadonlySet<Address> = new Set([SAFE_7579_LAUNCHPAD]);

/** `preValidationSetup(bytes32 initHash, address to, bytes preInit)` of the launchpad. */
const PRE_VALIDATION_SETUP_SELECTOR = '4fff40e1';
/** `initSafe7579(address, (address,bytes)[], (address,bytes)[], (address,bytes)[], address[] attesters, uint8 threshold)`. */
const INIT_SAFE_7579_SELECTOR = '15cca638';

const MAX_OWNERS = 64;
const MAX_ATTESTERS = 16;
const SELECTOR_DIGITS = 8;

/**
 * `setupSafe(InitData)` of the launchpad (rhinestonewtf/safe7579 v1.0.0 `src/Safe7579Launchpad.sol`).
 *
 * The launchpad stored the hash of everything but the calls when it was deployed, and compares. What is set up may be
 * no module: validators, executors, fallback handlers and hooks run code of the caller's choice as or for the account.
 * So the owners sign, whatever validator the nonce names. The calls are those of an ERC-7579 `execute` of the adapter.
 *
 * Owners or attesters that the contracts refuse would make the setup revert. So they are refused here.
 */
export const SETUP_SAFE: AccountFunction = {
  name: 'setupSafe',
  signature: 'setupSafe((address,address[],uint256,address,bytes,address,(address,bytes)[],bytes))',
  selector: '0xd9ed0e8f',
  read: (reader, operation) => ERC7579_EXECUTE.read(new CanonicalReader(readSetup(reader), SELECTOR_DIGITS), operation),
};

/**
 * Asserts that the launchpad is given a hash and nothing more: it would run anything else as the account.
 *
 * @param digits the first call to the new proxy
 * @throws DecodeFailure when it is anything else
 */
export function checkLaunchpadSetup(digits: string): void {
  const reader = readerOf(digits, PRE_VALIDATION_SETUP_SELECTOR, 'the initializer');
  reader.word('hash');
  const to = reader.address('setup target');
  reader.expectTail(reader.smallNumber('offset of setup data'), 'setup data');
  const data = reader.bytes('setup data');
  reader.finish();
  if (to !== ZERO_ADDRESS || data !== '') throw new UnknownSetup(`setup target ${to} is not known`);
}

/** @returns digits of the call to the adapter */
function readSetup(reader: CanonicalReader): string {
  reader.expectTail(reader.smallNumber('offset of init data'), 'init data');
  const base = reader.here;
  expectKnown(SINGLETONS, reader.address('singleton'), 'singleton');
  const ownersOffset = reader.smallNumber('offset of owners');
  const threshold = reader.smallNumber('threshold');
  expectKnown(LAUNCHPADS, reader.address('setup target'), 'setup target');
  const setupOffset = reader.smallNumber('offset of setup data');
  expectKnown(ADAPTERS, reader.address('adapter'), 'adapter');
  const validatorsOffset = reader.smallNumber('offset of validators');
  const callDataOffset = reader.smallNumber('offset of call data');
  reader.expectTail(ownersOffset, 'owners', base);
  const owners = reader.addresses('owners', MAX_OWNERS);
  expectOwners(owners, threshold);
  reader.expectTail(setupOffset, 'setup data', base);
  const setup = reader.bytes('setup data');
  reader.expectTail(validatorsOffset, 'validators', base);
  expectNone(reader, 'validators');
  reader.expectTail(callDataOffset, 'call data', base);
  const callData = reader.bytes('call data');
  reader.finish();
  checkAttesters(setup);

  if (!callData.startsWith(ERC7579_EXECUTE.selector.slice(2))) throw new UnknownSetup('the call behind the setup');
  return callData;
}

/** What Safe's `setupOwners` demands. */
function expectOwners(owners: readonly Address[], threshold: number): void {
  const isOwner = (owner: Address): boolean => owner !== ZERO_ADDRESS && owner !== SENTINEL;
  if (threshold < 1 || threshold > owners.length) throw new UnknownSetup('a Safe refuses this threshold');
  if (!owners.every(isOwner) || new Set(owners).size < owners.length)
    throw new UnknownSetup('a Safe refuses these owners');
}

/** Checks the attesters of the adapter's setup, which installs nothing. */
function checkAttesters(digits: string): void {
  const reader = readerOf(digits, INIT_SAFE_7579_SELECTOR, 'the setup call');
  expectKnown(ADAPTERS, reader.address('adapter'), 'adapter');
  const offsets = ['executors', 'fallback handlers', 'hooks', 'attesters'].map(
    (what) => [what, reader.smallNumber(`offset of ${what}`)] as const,
  );
  const threshold = reader.smallNumber('threshold of attesters');
  let attesters: Address[] = [];
  for (const [what, offset] of offsets) {
    reader.expectTail(offset, what);
    if (what === 'attesters') attesters = reader.addresses(what, MAX_ATTESTERS);
    else expectNone(reader, what);
  }
  reader.finish();
  // What the registry demands, which is all that is told who attests modules: sorted, and none twice.
  const isAfter = (attester: Address, at: number): boolean => attester > (attesters[at - 1] ?? ZERO_ADDRESS);
  if (attesters.length < Math.max(1, threshold) || !attesters.every(isAfter))
    throw new UnknownSetup('the registry refuses these attesters, or their threshold');
}

function expectNone(reader: CanonicalReader, what: string): void {
  if (reader.smallNumber(what) !== 0) throw new UnknownSetup(`setup installs ${what}`);
}
